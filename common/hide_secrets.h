// Passwords and keys in source code, hidden from whoever reads logs, lists of jobs and errors.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the source with "***" in place of each string, character or symbol that is a password: an argument of a
// function that takes one, as in login("admin", "secret") and "admin".login("secret"), and what is given to a name such
// as password, pwd or token. Works on broken and unfinished scripts, since it looks at strings, names and brackets
// alone; where it cannot know it hides too much. O(size).
std::string hideSecrets(std::string_view source);

// The same for the beginning of a source of at most `most` bytes: a secret is hidden as a whole before it is cut.
std::string hideSecretsInBeginning(std::string_view source, size_t most);

}  // namespace pelorus
