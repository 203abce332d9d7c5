// Files that a query reads, of which only the last ones used are open: a pattern may name more files than a process may
// open.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <utility>

#include "common/io/user_files.h"
#include "common/thread/mutex.h"

namespace pelorus::parquet_file {

// The files of one table. Thread-safe; a file that is being read stays open until its reader is done.
class OpenFiles : public std::enable_shared_from_this<OpenFiles> {
public:
    static constexpr size_t kMaxOpen = 64;

    explicit OpenFiles(UserFiles& files) : files_(files.shared_from_this()) {}

    UserFiles& files() const { return *files_; }
    // Returns a file that opens itself when it is read, and again after it was closed. Throws SystemError when there is
    // none, or later when it is another one than now.
    std::shared_ptr<File> file(const std::string& path);

private:
    friend class ReopenedFile;
    // Returns the open file. Throws SystemError when its size or its time differ from `known`.
    std::shared_ptr<File> open(const std::string& path, const FileFacts& known);

    const std::shared_ptr<UserFiles> files_;
    Mutex mutex_;
    // The one used last is the first.
    std::list<std::pair<std::string, std::shared_ptr<File>>> open_ GUARDED_BY(mutex_);
};

}  // namespace pelorus::parquet_file
