# Shared by demo.sh and check.sh: installs what the build needs, configures and builds.
# Sourced by sh from the top of the source tree; ends the script on failure.

# command, header or pkg-config module that tells whether the package is there | Debian and Ubuntu package
needed='
command:gcc            gcc
command:g++            g++
command:make           make
command:autoreconf     autoconf
command:automake       automake
command:libtoolize     libtool
command:pkg-config     pkg-config
command:python3        python3
command:mpicc.mpich    libmpich-dev
command:mpirun.mpich   mpich
command:gfortran       gfortran
header:libunwind.h     libunwind-dev
header:elfutils/libdwfl.h  libdw-dev
header:lzma.h          liblzma-dev
header:zstd.h          libzstd-dev
header:zlib.h          zlib1g-dev
module:libxml-2.0      libxml2-dev
module:cairo-pdf       libcairo2-dev
header:otf2/otf2.h     libotf2-trace-dev
'

say() {
    printf '%s\n' "$*"
}

have() {
    case $1 in
    command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
    module:*) pkg-config --exists "${1#module:}" 2>/dev/null ;;
    header:*) echo "#include <${1#header:}>" | gcc -E -x c - >/dev/null 2>&1 ;;
    esac
}

missing_packages() {
    echo "$needed" | while read -r what package; do
        [ -n "$what" ] && ! have "$what" && printf '%s ' "$package"
    done
}

install_packages() {
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        say "This system has no apt-get.  Please install the equivalents of these Debian packages:"
        say "    $missing"
        exit 1
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            say "Please install as root: apt-get install $missing"
            exit 1
        }
        as_root=sudo
    fi
    say "Installing: $missing"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >setup.log 2>&1
    # shellcheck disable=SC2086  # a list of packages
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q $missing >>setup.log 2>&1 || {
        say "The installation failed; the end of setup.log:"
        tail -n 20 setup.log
        exit 1
    }
}

# install_optional "COMMAND PACKAGE" or "module:MODULE PACKAGE" ...: for tests that are skipped without it.
install_optional() {
    wanted=
    for pair; do
        case $pair in
        module:*) have "${pair%% *}" || wanted="$wanted ${pair#* }" ;;
        *) have "command:${pair%% *}" || wanted="$wanted ${pair#* }" ;;
        esac
    done
    [ -n "$wanted" ] && command -v apt-get >/dev/null 2>&1 || return 0
    as_root=
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    say "Installing, for more tests:$wanted"
    $as_root apt-get update -q >>setup.log 2>&1
    # One by one, so that what a system does not have does not keep it from the others.
    for package in $wanted; do
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$package" >>setup.log 2>&1 ||
            say "  $package is not available: its test will be skipped"
    done
}

# Tests start an sshd of their own, and Debian's would run as soon as it is installed.
keep_sshd_from_running() {
    [ ! -x /usr/sbin/sshd ] && command -v apt-get >/dev/null 2>&1 || return 0
    as_root=
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    say "Keeping the system's own sshd from running: remove /etc/ssh/sshd_not_to_be_run if you want it"
    $as_root sh -c 'mkdir -p /etc/ssh && : >/etc/ssh/sshd_not_to_be_run' >>setup.log 2>&1
}

# libtool starts it for every file: sh is the smaller one.
CONFIG_SHELL=/bin/sh
export CONFIG_SHELL

# build DIRECTORY [configure arguments]: of $only, directories in the order of the build, or everything;
# of the sources in $unpacked, or of these.
build() {
    directory=$1
    shift
    began=$(date +%s)
    if [ -f config.status ]; then
        say "The source tree itself is configured: please run \"make distclean\" first."
        exit 1
    fi
    say "Building in $directory"
    {
        if [ ! -x configure ] || [ configure.ac -nt configure ]; then autoreconf -i; fi &&
            mkdir -p "$directory" &&
            (cd "$directory" && { [ -f config.status ] || "../${unpacked:-.}/configure" "$@"; } &&
                make -j"$(getconf _NPROCESSORS_ONLN)" ${only:+SUBDIRS="$only"})
    } >build.log 2>&1 || {
        say "The build failed; the end of build.log:"
        tail -n 30 build.log
        exit 1
    }
    say "  $(($(date +%s) - began)) s"
}
