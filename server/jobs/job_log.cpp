#include "server/jobs/job_log.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/log.h"

#include "server/jobs/job_queue.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

constexpr int64_t kRotateBytes = int64_t{64} << 20;
constexpr size_t kStringBytes = 2000;

const char* nameOf(JobLog::Event event) {
    switch (event) {
        case JobLog::Event::Received:
            return "received";
        case JobLog::Event::Started:
            return "started";
        case JobLog::Event::Ended:
            return "ended";
    }
    return "";
}

// Returns a string of a user as part of one line, with secrets hidden and control characters blanked.
std::string inLine(std::string_view string) {
    std::string line = hideSecretsInBeginning(string, kStringBytes);
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    return line;
}

std::string timeString(int64_t millis) {
    const std::time_t seconds = millis / 1000;
    std::tm time{};
    gmtime_r(&seconds, &time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday,
                       time.tm_hour, time.tm_min, time.tm_sec, millis % 1000);
}

}  // namespace

JobLog::JobLog(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {
    files_.makeFolder(folderOf(path_));
    file_ = files_.exists(path_) ? files_.openForAppend(path_) : files_.create(path_);
    size_ = file_->size();
}

void JobLog::write(const JobStatus& job, Event event, std::string_view error) noexcept {
    try {
        append(fmt::format("{} {} {} user={} id={}{}{}\n", timeString(localMillis()), nameOf(event), inLine(job.id),
                           inLine(job.userId), job.rootJobId, error.empty() ? "" : " error=", inLine(error)));
    } catch (const std::exception&) {
        // There is no memory for the line, which is lost.
    }
}

void JobLog::writeSchedule(std::string_view id, std::string_view user, std::string_view string) noexcept {
    try {
        append(fmt::format("{} schedule {} user={} {}\n", timeString(localMillis()), inLine(id), inLine(user),
                           inLine(string)));
    } catch (const std::exception&) {
        // There is no memory for the line, which is lost.
    }
}

// Begins a new file. When the disk refuses that, lines go on being appended to the old one, wherever it is by then.
void JobLog::rotate() {
    try {
        if (files_.exists(path_)) files_.rename(path_, path_ + ".1");
        file_ = files_.create(path_);
        size_ = 0;
    } catch (const std::exception& error) {
        logWarning("jobs", "batchJob.log could not be rotated", {{"why", error.what()}});
    }
}

void JobLog::append(const std::string& line) noexcept {
    const MutexLock lock(mutex_);
    try {
        if (size_ > 0 && size_ + static_cast<int64_t>(line.size()) > kRotateBytes) rotate();
        file_->append(line);
        size_ += static_cast<int64_t>(line.size());
    } catch (const std::exception& error) {
        logWarning("jobs", "a line of batchJob.log is lost", {{"why", error.what()}});
    }
}

}  // namespace pelorus
