#include "apps/terminal/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#include "apps/process/program_path.h"
#include "apps/terminal/terminal.h"
#include "presentation/view/text_width.h"

extern char** environ;

namespace pelorus {

namespace {

// Returns the command of the pager; empty when there is none.
std::string pagerCommand() {
    for (const char* name : {"PELORUS_PAGER", "PAGER"}) {
        const char* command = std::getenv(name);
        if (command && *command) return command;
    }
    return isOnPath("less") ? "less" : "";
}

// Counts the lines of the screen that an output takes; color sequences take none.
int screenLines(std::string_view text, int columns) {
    int lines = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string line(text.substr(0, end));
        for (size_t at = 0; (at = line.find('\033', at)) != std::string::npos;) {
            const size_t close = line.find('m', at);
            line.erase(at, close == std::string::npos ? close : close + 1 - at);
        }
        lines += std::max(1, (static_cast<int>(textWidth(line)) + columns - 1) / columns);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Reads one key of the terminal; q when there is none to read.
char readKey() {
    termios before{};
    if (tcgetattr(STDIN_FILENO, &before) != 0) return 'q';
    termios raw = before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    char key = 'q';
    const ssize_t got = ::read(STDIN_FILENO, &key, 1);  // Ctrl-C interrupts it
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    return got == 1 ? key : 'q';
}

}  // namespace

PagedOutput::~PagedOutput() {
    if (pager_ < 0) {
        if (!isPlain_) std::cout << held_;
        std::cout << std::flush;
        return;
    }
    ::close(pipe_);
    int status = 0;
    while (::waitpid(pager_, &status, 0) < 0 && errno == EINTR) {
    }
}

bool PagedOutput::write(std::string_view text) {
    if (hasLeft_) return false;
    if (!isPaged_) {
        std::cout << text;
        return static_cast<bool>(std::cout);
    }
    if (pager_ >= 0 || isPlain_) return writeAll(text);
    held_ += text;
    const TerminalSize size = terminalSize();
    lines_ += screenLines(text, size.columns);
    if (lines_ < size.lines) return true;  // a line is left for the prompt
    const std::string held = std::move(held_);
    held_.clear();
    if (!startPager()) {
        isPlain_ = true;
        linesLeft_ = size.lines - 1;
    }
    return writeAll(held);
}

bool PagedOutput::startPager() {
    const std::string command = pagerCommand();
    if (command.empty()) return false;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> environment;
    for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
    std::string options = "LESS=-RXS";  // colors as colors, the lines stay on the screen, long ones scroll to the right
    if (!std::getenv("LESS")) environment.push_back(options.data());
    environment.push_back(nullptr);
    std::string shell = "sh", flag = "-c", words = command;
    char* arguments[] = {shell.data(), flag.data(), words.data(), nullptr};
    std::cout << std::flush;
    const int failed = posix_spawn(&pager_, "/bin/sh", &actions, &attributes, arguments, environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    if (failed) {
        pager_ = -1;
        ::close(ends[1]);
        return false;
    }
    pipe_ = ends[1];
    return true;
}

bool PagedOutput::writeAll(std::string_view text) {
    if (pager_ >= 0) {
        while (!text.empty()) {
            const ssize_t wrote = ::write(pipe_, text.data(), text.size());
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) {
                hasLeft_ = true;
                return false;
            }
            text.remove_prefix(static_cast<size_t>(wrote));
        }
        return true;
    }
    const TerminalSize size = terminalSize();
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        const int lines = screenLines(line, size.columns);
        if (linesLeft_ < lines) {
            std::cout << "-- more: blank for a page, Enter for a line, q to leave --" << std::flush;
            const char key = readKey();
            std::cout << "\r\033[K" << std::flush;
            if (key == 'q' || key == 'Q' || key == '\x03' || key == '\x04') {
                hasLeft_ = true;
                return false;
            }
            linesLeft_ = key == '\n' || key == '\r' ? lines : size.lines - 1;
        }
        std::cout << line;
        linesLeft_ -= lines;
        text.remove_prefix(end);
    }
    return true;
}

}  // namespace pelorus
