#!/usr/bin/env bash
# Formats the TypeScript, JavaScript and CSS of clients by prettier.
#
#   scripts/format_typescript.sh            formats
#   scripts/format_typescript.sh --check    fails where a file is not formatted, or ESLint or the types find an error
#
# scripts/typescript_tools has the tools' versions and settings; they are installed into build/format_tools. Where npm's
# registry cannot be reached, nothing is formatted or checked, which is said and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
settings=scripts/typescript_tools
tools=build/format_tools

status=0
scripts/npm_ci.sh $settings $tools || status=$?
if [ $status = 3 ]; then
  what=$([ "${1:-}" = --check ] && echo CHECKED || echo FORMATTED)
  echo "format: TypeScript was NOT $what: npm's registry or PyPI, which have its tools, cannot be reached." >&2
  exit 0
fi
[ $status = 0 ] || exit $status

export PATH="$PWD/$tools/node_modules/.bin:$PWD/.venv/bin:$PATH"
mapfile -t sources < <(git ls-files 'clients/*.ts' 'clients/*.mjs' "$settings/*.mjs")
# What is built and committed is left as it is.
mapfile -t styles < <(git ls-files 'clients/*.css' ':!clients/web/page/dist/*')
files=("${sources[@]}" "${styles[@]}")
prettier=(prettier --config $settings/prettier.json --log-level warn)
if [ "${1:-}" != --check ]; then
  exec "${prettier[@]}" --write "${files[@]}"
fi

# A package that the linter and the extension, or the page, both have is of one version: the types are those of what is built.
node -e '
  const [ours, extension, page] = process.argv.slice(1).map((file) => require("./" + file + "/package-lock.json").packages);
  const built = { ...page, ...extension };
  const differing = Object.keys(require("./'$settings'/package.json").devDependencies)
    .map((name) => ["node_modules/" + name, name])
    .filter(([path]) => built[path] && built[path].version !== ours[path].version)
    .map(([path, name]) => name + " is " + ours[path].version + ", but " + built[path].version + " in what is built");
  if (differing.length > 0) throw new Error(differing.join("; "));' $settings clients/vscode clients/web/page

# ESLint takes as long as the others together.
{ "${prettier[@]}" --check "${files[@]}" && tsc --noEmit -p $settings; } &
eslint -c $settings/eslint.config.mjs --max-warnings 0 "${sources[@]}" || status=1
wait $! || status=1
[ $status = 0 ] || exit 1
echo "format: TypeScript as $settings says"
