#include "apps/managed_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/error.h"

namespace pelorus {
namespace {

std::string wholeFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Continues as the new process: without our terminal and signals, with output to the log.
[[noreturn]] void become(const std::vector<std::string>& command, int log, int failure) {
    ::setsid();
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(log, 1);
    ::dup2(log, 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

}  // namespace

void ManagedProcess::start(const std::vector<std::string>& command) {
    const int log = ::open(logPath().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int failure[2];
    if (log < 0 || ::pipe2(failure, O_CLOEXEC) != 0) {
        const int error = errno;
        if (log >= 0) ::close(log);
        errno = error;
        throw SystemError("Cannot write " + logPath() + ": " + std::strerror(errno) + ".");
    }
    const pid_t pid = ::fork();
    if (pid == 0) become(command, log, failure[1]);
    ::close(log);
    ::close(failure[1]);
    int error = 0;
    const bool failed = pid < 0 || ::read(failure[0], &error, sizeof error) > 0;
    ::close(failure[0]);
    if (failed) throw SystemError("Cannot start " + command[0] + ": " + std::strerror(pid < 0 ? errno : error) + ".");
    std::ofstream(pidPath()) << pid << '\n';
}

pid_t ManagedProcess::pid() const {
    const pid_t pid = std::atoi(wholeFile(pidPath()).c_str());
    if (pid <= 0) return 0;
    ::waitpid(pid, nullptr, WNOHANG);  // reaps a child of ours that has ended
    const std::string commandLine = wholeFile("/proc/" + std::to_string(pid) + "/cmdline");
    return commandLine.find(mark_) == std::string::npos ? 0 : pid;
}

bool ManagedProcess::stop(int timeoutMillis) {
    if (!isRunning()) {
        std::filesystem::remove(pidPath());
        return false;
    }
    ::kill(pid(), SIGTERM);
    for (int waited = 0; isRunning() && waited < timeoutMillis; waited += 20) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (const pid_t stubborn = pid()) {
        ::kill(stubborn, SIGKILL);
        while (isRunning()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::filesystem::remove(pidPath());
    return true;
}

std::string ManagedProcess::logTail() const {
    const std::string text = wholeFile(logPath());
    constexpr size_t kTailBytes = 1000;
    return text.size() > kTailBytes ? text.substr(text.size() - kTailBytes) : text;
}

}  // namespace pelorus
