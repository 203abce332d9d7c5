// Hides passwords and keys in source code from readers of logs, lists of jobs and errors.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the source text with "***" in place of each string, character or symbol that is a password: an argument of a
// function that takes one, as in login("admin", "secret") and "admin".login("secret"), or a value assigned to a name
// such as password, pwd or token. It works on broken and unfinished scripts, since it reads only strings, names and
// brackets; in doubt it hides too much. O(size).
std::string hideSecrets(std::string_view source);

// Returns the first `most` bytes of the source text with secrets hidden: a secret is hidden completely before the text
// is cut.
std::string hideSecretsInBeginning(std::string_view source, size_t most);

}  // namespace pelorus
