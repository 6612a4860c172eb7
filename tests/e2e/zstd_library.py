"""What summary_reader.py needs of libzstd, by ctypes: `decode(data, size)`."""

import ctypes

LIBRARY = ctypes.CDLL("libzstd.so.1")
LIBRARY.ZSTD_decompress.restype = ctypes.c_size_t
LIBRARY.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                    ctypes.c_size_t]
LIBRARY.ZSTD_isError.argtypes = [ctypes.c_size_t]
LIBRARY.ZSTD_getErrorName.argtypes = [ctypes.c_size_t]
LIBRARY.ZSTD_getErrorName.restype = ctypes.c_char_p


class Corrupt(Exception):
    """Not whole frames, or more than SIZE bytes in them; the text says why."""


def decode(data, size):
    """The content of the frames in DATA, which is at most SIZE bytes."""
    room = ctypes.create_string_buffer(max(size, 1))
    result = LIBRARY.ZSTD_decompress(room, size, data, len(data))
    if LIBRARY.ZSTD_isError(result):
        raise Corrupt(LIBRARY.ZSTD_getErrorName(result).decode())
    return room.raw[:result]
