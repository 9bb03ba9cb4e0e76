# shellcheck shell=sh
# Sourced by scripts. sqlite_shell ARGUMENT... runs the sqlite3 shell of PATH with the sanitizer's runtimes of
# GPUGRAPH_PRELOAD, under the command GPUGRAPH_WRAPPER. sh cannot run with the thread sanitizer's runtime, so the
# shell receives that runtime in a way that its child processes do not inherit.
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
