// JobLog writes batchJob.log: one line when a job is received, starts and ends, and when a schedule fires, is missed or
// changes.
//
//   2026-04-01T15:00:00.012 ended nightly user=admin id=7c1f… error=…
//
// At 64 MiB the file is renamed to batchJob.log.1. Thread-safe. Writing throws nothing: when the disk is full, lines
// are lost, which the server's log reports. JobQueue and Schedules share the log.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/io/file.h"
#include "common/thread/mutex.h"

namespace pelorus {

struct JobStatus;

// The log of a node's batch jobs. Times are local; secrets in messages are hidden.
class JobLog {
public:
    enum class Event : uint8_t { Received, Started, Ended };

    // Opens the file, or creates it with its folder. `files` outlives the log. Throws SystemError when the file cannot
    // be opened.
    JobLog(FileSystem& files, std::string path);

    // Writes a line about a job; `error` is empty unless the job failed.
    void write(const JobStatus& job, Event event, std::string_view error) noexcept;
    // Writes a line about a schedule.
    void writeSchedule(std::string_view id, std::string_view user, std::string_view string) noexcept;

private:
    void rotate() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void append(const std::string& line) noexcept;

    FileSystem& files_;
    const std::string path_;
    Mutex mutex_;
    std::unique_ptr<File> file_ GUARDED_BY(mutex_);
    int64_t size_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
