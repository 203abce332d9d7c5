#include "server/jobs/job_log.h"

#include <catch2/catch.hpp>

#include "server/jobs/job_queue.h"
#include "tests/support/faulty_file_system.h"

using namespace pelorus;

namespace {

constexpr size_t kRotateBytes = size_t{64} << 20;

std::string contents(FileSystem& files, const std::string& path) {
    return files.exists(path) ? readWholeFile(files, path) : "";
}

}  // namespace

TEST_CASE("a job's log has a line for each event, and goes on after a restart") {
    FaultyFileSystem files;
    JobStatus job;
    job.id = "nightly\nforged";
    job.userId = "ann";
    JobLog(files, "/logs/batchJob.log").write(job, JobLog::Event::Received, "");
    JobLog(files, "/logs/batchJob.log").write(job, JobLog::Event::Ended, "no such table");
    const std::string log = contents(files, "/logs/batchJob.log");
    CHECK(std::count(log.begin(), log.end(), '\n') == 2);
    CHECK(log.find(" received ") < log.find(" ended "));
    CHECK(log.find("user=ann") != std::string::npos);
    CHECK(log.find("error=no such table") != std::string::npos);
}

TEST_CASE("a log of 64 MiB is kept under another name, and a new one begins") {
    FaultyFileSystem files;
    files.makeFolder("/logs");
    files.create("/logs/batchJob.log")->append(std::string(kRotateBytes, '-'));
    JobLog log(files, "/logs/batchJob.log");
    log.writeSchedule("daily", "ann", "missed");
    CHECK(contents(files, "/logs/batchJob.log").find("schedule daily user=ann missed") != std::string::npos);
    CHECK(contents(files, "/logs/batchJob.log.1").size() == kRotateBytes);
}

TEST_CASE("a full disk loses lines, and those after it are written") {
    FaultyFileSystem files;
    JobLog log(files, "/logs/batchJob.log");
    files.setFreeBytes(0);
    log.writeSchedule("daily", "ann", "lost");
    files.setFreeBytes(1 << 20);
    log.writeSchedule("daily", "ann", "kept");
    const std::string text = contents(files, "/logs/batchJob.log");
    CHECK(text.find("lost") == std::string::npos);
    CHECK(text.find("kept") != std::string::npos);
}
