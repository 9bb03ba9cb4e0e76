#!/bin/sh
# Tests a fresh Debian or Ubuntu, made by debootstrap, of the release of this machine. Run it by hand, as root: it takes some
# minutes and downloads about 400 MB. Exit status 77: skipped.
#   tests/fresh_system_test.sh [MIRROR]
# The Debian packages are built here. Their dependencies are installed with them, ".load gpugraph" and the commands of
# docs/embedding.md work, and removal leaves nothing behind. Then the test runs examples/quickstart.sh there, cmake --install of
# its build, and these commands again. All folders of sources and builds have a space and an é in their path.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/.." && pwd)
fail() {
    echo "$1"
    exit 1
}
quietly() {
    "$@" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log" && fail "failed: $*"; }
}
[ "$(id -u)" = 0 ] || { echo "skipped: debootstrap needs root"; exit 77; }
for tool in debootstrap dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool (Debian: debootstrap, dpkg-dev, cmake)"; exit 77; }
done
folder=$(mktemp -d)
system=$folder/system
finish() {
    for mounted in proc dev; do
        ! mountpoint -q "$system/$mounted" || umount "$system/$mounted"
    done
    rm -rf --one-file-system "$folder"
}
trap finish EXIT

# ---- packed ----
build="$folder/with space é/build"
mkdir -p "$build"
quietly cmake -S "$root" -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DGPUGRAPH_TESTS=OFF -DGPUGRAPH_CUDA=OFF -DGPUGRAPH_MPI=OFF
quietly cmake --build "$build" -j "$(nproc)"
cd "$build"
quietly cpack -G DEB
ls -l "$build"/*.deb

# ---- a fresh system ----
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
quietly debootstrap --variant=minbase "$suite" "$system" "$@"
mount -t proc proc "$system/proc"
mount --bind /dev "$system/dev"
cp "$build"/*.deb "$root/examples/embed.c" "$root/examples/graph.c" "$root/examples/data/manhattan-streets.csv" "$system/root"
sed -n 's/^    \(cc [eg].*gpugraph.*\|.\/graph .*\)$/\1/p' "$root/docs/embedding.md" >"$system/root/commands"
printf '%s\n' '.load gpugraph' 'CREATE TABLE roads(src, dst);' 'INSERT INTO roads VALUES (1, 2), (2, 3);' \
    "SELECT group_concat(vertex || ':' || depth) FROM gpu_bfs('roads', 1);" >"$system/root/load.sql"

inside() {
    quietly chroot "$system" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -ec "cd; $1"
}
# The output of the search, without any error line.
loads() {
    inside 'sqlite3 -batch -init /dev/null :memory: <load.sql'
    [ "$(cat "$folder/log")" = "1:0,2:1,3:2" ] || { cat "$folder/log" && fail ".load gpugraph"; }
}
# The page's commands, and a program with the shared library.
compiles() {
    inside 'sh -e commands'
    inside ./embed
    diff -u "$tests/data/embed.out" "$folder/log"
    # shellcheck disable=SC2016 # for the shell inside
    inside 'cc embed.c -o shared $(pkg-config --cflags --libs gpugraph-shared)'
    inside ./shared
    diff -u "$tests/data/embed.out" "$folder/log"
}
inside 'apt-get update && apt-get install -y --install-recommends ./libsqlite3-mod-gpugraph_*.deb'
loads
inside 'apt-get install -y --no-install-recommends ./libgpugraph-dev_*.deb gcc libc6-dev pkg-config'
compiles

# ---- removed ----
inside 'apt-get purge -y libsqlite3-mod-gpugraph libgpugraph-dev; find / -xdev -name "*gpugraph*" -not -path "/root/*" -not -path "/var/log/*"'
! grep '^/' "$folder/log" || fail "files are left behind"

# ---- from the sources ----
sources="$system/root/with space é"
mkdir "$sources"
(cd "$root" && git ls-files -co --exclude-standard -z | tar --null -T - -cf -) | tar -xf - -C "$sources"
inside '"with space é/examples/quickstart.sh"'
inside 'cmake --install "with space é/build"'
loads
compiles
echo "ok"
