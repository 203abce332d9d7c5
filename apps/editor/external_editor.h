// Runs the editor and the shell of the user in the console's terminal.
#pragma once

#include <string>

namespace pelorus {

// Opens $VISUAL, $EDITOR, nano or vi, the first that is found, on a private file with the source text, waits until the
// user has left it, and returns the contents of the file, without blank lines at the end. Throws UserError when no
// editor is found or it fails, SystemError when the file cannot be made.
std::string editOutside(const std::string& text);

// Runs a command by the user's shell, or the shell itself when the command is empty, and waits for its end. Ctrl-C goes
// to the command meanwhile. Returns its exit status.
int runInShell(const std::string& command);

}  // namespace pelorus
