#!/bin/sh
# revision.sh SOURCE-TREE: which commit a checkout is at, in git's words, as a source of the
# command, for `tsprof --version`.  The text is empty in the tree of a tarball, also where that
# was unpacked inside some other checkout.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR
revision=
if test -e "$1/.git"; then
  revision=$(GIT_OPTIONAL_LOCKS=0 git -C "$1" -c safe.directory="$(cd "$1" && pwd -P)" \
    describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null |
    tr -cd 'A-Za-z0-9._+-') || revision=
fi
echo '/* Made by utils/command/revision.sh. */'
printf '#include "command/command.h"\n\nconst char command_revision[] = "%s";\n' "$revision"
