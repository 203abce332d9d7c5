// batchJob.log: one line when a job is received, starts and ends, and when a schedule fires or is missed.
//
//   2026-04-01T15:00:00.012 ended nightly user=admin id=7c1f… error=…
//
// At kRotateBytes the file becomes batchJob.log.1. Thread-safe; nothing here throws: a disk that is full loses lines,
// which the server's log says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/io/file.h"
#include "common/thread/mutex.h"

namespace pelorus {

struct JobStatus;

class JobLog {
public:
    enum class Event : uint8_t { Received, Started, Ended };

    // The file system outlives the log. Throws SystemError when the file cannot be opened.
    JobLog(FileSystem& files, std::string path);

    void write(const JobStatus& job, Event event, std::string_view error) noexcept;
    // Writes a line about a schedule.
    void writeSchedule(std::string_view id, std::string_view user, std::string_view string) noexcept;

private:
    void append(const std::string& line) noexcept;

    FileSystem& files_;
    const std::string path_;
    Mutex mutex_;
    std::unique_ptr<File> file_ GUARDED_BY(mutex_);
    int64_t size_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
