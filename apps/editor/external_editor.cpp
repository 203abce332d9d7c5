#include "apps/editor/external_editor.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "common/error.h"

namespace pelorus {

namespace {

// Environment variables of the user, in order of preference.
std::string environmentText(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const char* value = std::getenv(name); value && *value) return value;
    }
    return {};
}

bool isInPath(const std::string& program) {
    std::stringstream folders(environmentText({"PATH"}));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

std::string editorCommand() {
    const std::string chosen = environmentText({"VISUAL", "EDITOR"});
    if (!chosen.empty()) return chosen;
    for (const char* program : {"nano", "vi"}) {
        if (isInPath(program)) return program;
    }
    throw UserError("No editor is found.", "Name one in the environment: export EDITOR=nano");
}

// A file that only the user can read; removed when the object goes.
class PrivateFile {
public:
    explicit PrivateFile(const std::string& content) {
        std::string folder = environmentText({"TMPDIR"});
        if (folder.empty()) folder = "/tmp";
        path_ = folder + "/pelorus-XXXXXX.dos";
        constexpr int kSuffix = 4;
        const int descriptor = ::mkstemps(path_.data(), kSuffix);
        if (descriptor < 0) {
            throw SystemError(fmt::format("No file can be made in {}: {}.", folder, std::strerror(errno)));
        }
        ::close(descriptor);
        std::ofstream(path_, std::ios::binary) << content << '\n';
    }
    ~PrivateFile() { ::unlink(path_.c_str()); }
    PrivateFile(const PrivateFile&) = delete;
    PrivateFile& operator=(const PrivateFile&) = delete;

    const std::string& path() const { return path_; }
    std::string content() const {
        std::stringstream text;
        text << std::ifstream(path_, std::ios::binary).rdbuf();
        return text.str();
    }

private:
    std::string path_;
};

std::string quotedForShell(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::string editOutside(const std::string& text) {
    const std::string editor = editorCommand();
    const PrivateFile file(text);
    const int status = runInShell(editor + " " + quotedForShell(file.path()));
    if (status != 0) {
        throw UserError(fmt::format("The editor {} ended with status {}; its text is not taken.", editor, status),
                        "EDITOR names the editor.");
    }
    std::string edited = file.content();
    edited.erase(edited.find_last_not_of(" \t\r\n") + 1);
    return edited;
}

int runInShell(const std::string& command) {
    std::cout << std::flush;
    std::string shell = environmentText({"SHELL"});
    if (shell.empty()) shell = "/bin/sh";
    const int status = std::system(command.empty() ? shell.c_str() : command.c_str());
    if (status < 0) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pelorus
