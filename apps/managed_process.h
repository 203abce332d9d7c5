// ManagedProcess starts and stops a process that outlives the one that started it; a file with its id finds it again.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pelorus {

// One process by name, whether it runs or not. Not thread-safe.
class ManagedProcess {
public:
    // `mark` is a part of the command line that no other process has: the system may have reused a process id. Output
    // goes to <folder>/<name>.log, the id to <folder>/<name>.pid.
    ManagedProcess(std::string folder, std::string name, std::string mark)
        : folder_(std::move(folder)), name_(std::move(name)), mark_(std::move(mark)) {}

    const std::string& name() const { return name_; }
    std::string logPath() const { return folder_ + "/" + name_ + ".log"; }

    // Starts the process in a new session of the terminal. Throws SystemError when the program cannot be started.
    void start(const std::vector<std::string>& command);
    bool isRunning() const { return pid() > 0; }
    // Returns the id of the process; 0 when it does not run.
    pid_t pid() const;
    // Sends SIGTERM, and SIGKILL when the process has not ended in time. Returns whether it ran.
    bool stop(int timeoutMillis);
    // Returns the end of the process's output, for error messages.
    std::string logTail() const;

private:
    std::string pidPath() const { return folder_ + "/" + name_ + ".pid"; }

    const std::string folder_;
    const std::string name_;
    const std::string mark_;
};

}  // namespace pelorus
