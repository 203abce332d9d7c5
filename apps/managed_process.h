// A process that outlives the one that started it, found again by a file that holds its id.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pelorus {

class ManagedProcess {
public:
    // `mark` is a word of the command line that no other process has: a process id alone may have been given to another
    // one since. Output goes to <folder>/<name>.log, the id to <folder>/<name>.pid.
    ManagedProcess(std::string folder, std::string name, std::string mark)
        : folder_(std::move(folder)), name_(std::move(name)), mark_(std::move(mark)) {}

    const std::string& name() const { return name_; }
    std::string logPath() const { return folder_ + "/" + name_ + ".log"; }

    // Throws SystemError when the program cannot be started.
    void start(const std::vector<std::string>& command);
    bool isRunning() const { return pid() > 0; }
    // 0 when it does not run.
    pid_t pid() const;
    // Asks it to end, and kills it when it has not ended in time. True when it ran.
    bool stop(int timeoutMillis);
    // The end of its output, for error messages.
    std::string logTail() const;

private:
    std::string pidPath() const { return folder_ + "/" + name_ + ".pid"; }

    const std::string folder_;
    const std::string name_;
    const std::string mark_;
};

}  // namespace pelorus
