#include "runtime/parquet/open_files.h"

#include <algorithm>

#include "common/error.h"

namespace pelorus::parquet_file {

// A file that is open while it is read, and for a while after.
class ReopenedFile final : public File {
public:
    ReopenedFile(std::shared_ptr<OpenFiles> files, std::string path, FileFacts known)
        : files_(std::move(files)), path_(std::move(path)), known_(known) {}

    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override {
        return files_->open(path_, known_)->readAt(offset, target, sizeBytes);
    }
    int64_t size() const override { return known_.sizeBytes; }
    const std::string& path() const override { return path_; }
    void append(std::string_view) override { refuse(); }
    void overwrite(int64_t, std::string_view) override { refuse(); }
    void sync() override { refuse(); }
    void reserve(int64_t) override { refuse(); }
    void truncate(int64_t) override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw InternalError("a file that was opened for reading is written"); }

    const std::shared_ptr<OpenFiles> files_;
    const std::string path_;
    const FileFacts known_;
};

std::shared_ptr<File> OpenFiles::file(const std::string& path) {
    const std::optional<FileFacts> known = files_->facts(path);
    if (!known || !known->isFile) {
        files_->openForRead(path);  // throws the reason
        throw SystemError("Cannot read " + path + ": it is no file.");
    }
    return std::make_shared<ReopenedFile>(shared_from_this(), path, *known);
}

std::shared_ptr<File> OpenFiles::open(const std::string& path, const FileFacts& known) {
    {
        const MutexLock lock(mutex_);
        const auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one.first == path; });
        if (found != open_.end()) {
            open_.splice(open_.begin(), open_, found);
            return found->second;
        }
    }
    std::shared_ptr<File> opened = files_->openForRead(path);
    const std::optional<FileFacts> now = files_->facts(path);
    if (!now || now->sizeBytes != known.sizeBytes || now->modifiedMillis != known.modifiedMillis)
        throw SystemError(path + " was changed while it was read.", "Run the statement again.", true);
    const MutexLock lock(mutex_);
    open_.emplace_front(path, opened);
    if (open_.size() > kMaxOpen) open_.pop_back();
    return opened;
}

}  // namespace pelorus::parquet_file
