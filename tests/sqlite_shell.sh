# shellcheck shell=sh
# Sourced by scripts: sqlite_shell ARGUMENT... is the sqlite3 shell of PATH with the sanitizer's runtimes of
# GPUGRAPH_PRELOAD, under the command GPUGRAPH_WRAPPER. sh does not run with the thread sanitizer's, so that
# one is given to the shell in a way that the commands which the shell starts do not inherit.
sqlite_shell() {
    program=$(command -v sqlite3)
    case ${GPUGRAPH_PRELOAD:-} in
    *libtsan*)
        interpreter=$(ldd "$program" | awk '$1 ~ /\/ld[-.]/ { print $1 }')
        "$interpreter" --preload "$GPUGRAPH_PRELOAD" "$program" "$@"
        ;;
    *)
        # shellcheck disable=SC2086 # the wrapper is a command with its options
        LD_PRELOAD=${GPUGRAPH_PRELOAD:-} ${GPUGRAPH_WRAPPER:-} "$program" "$@"
        ;;
    esac
}
