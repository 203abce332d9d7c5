// Files and folders behind one interface, so that tests can lose unsynced writes, tear pages, fill the disk and fail a
// sync on purpose.
//
// Every function throws SystemError that names the path and the reason. What was written is safe from a power loss
// after File::sync; a file's name (created, renamed, removed) after FileSystem::syncFolder of the folder that holds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

// An open file; closed by its destructor. One thread writes; any number may read at the same time.
class File {
public:
    virtual ~File() = default;
    // All bytes or SystemError; after an error an unknown part may be there, which `truncate` removes.
    virtual void append(std::string_view bytes) = 0;
    // Writes over bytes that are there; where `append` goes on stays the same.
    virtual void overwrite(int64_t offset, std::string_view bytes) = 0;
    // Fewer bytes than asked for only at the end of the file.
    virtual size_t readAt(int64_t offset, void* target, size_t sizeBytes) const = 0;
    // A hint that these bytes are read soon: the system may fetch them meanwhile.
    virtual void willRead(int64_t /*offset*/, int64_t /*sizeBytes*/) const {}
    virtual void sync() = 0;
    // Makes room up to this size, which reads as zeros behind what was appended, so that syncs need not write the
    // file's size and place. A hint: a full disk is no error here.
    virtual void reserve(int64_t sizeBytes) = 0;
    // Reserved bytes included, until the file is truncated.
    virtual int64_t size() const = 0;
    virtual void truncate(int64_t sizeBytes) = 0;
    virtual const std::string& path() const = 0;
};

// Held while this process owns a folder.
class FileLock {
public:
    virtual ~FileLock() = default;
    // Sets the description of the holder that other processes read.
    virtual void describe(std::string_view text) = 0;
};

class FileSystem {
public:
    virtual ~FileSystem() = default;
    // Makes the file, or empties an existing one.
    virtual std::unique_ptr<File> create(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForAppend(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForRead(const std::string& path) = 0;
    virtual bool exists(const std::string& path) = 0;
    // Replaces `to` in one step.
    virtual void rename(const std::string& from, const std::string& to) = 0;
    // Nothing happens when the file is absent.
    virtual void remove(const std::string& path) = 0;
    // With the folders above it. Nothing happens when it exists.
    virtual void makeFolder(const std::string& path) = 0;
    virtual void syncFolder(const std::string& path) = 0;
    // Names in the folder, sorted; empty when there is no such folder.
    virtual std::vector<std::string> list(const std::string& path) = 0;
    // How full the disk of a folder is, 0 to 1.
    virtual double usedShare(const std::string& path) = 0;
    // nullptr when another process, or another lock of this one, holds it; `holder` is then its description.
    virtual std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) = 0;

    // The file system of the machine.
    static FileSystem& posix();
};

// The whole content of a file.
std::string readWholeFile(FileSystem& files, const std::string& path);

// Writes aside, syncs, renames, syncs the folder: the old content or the new, never half of either.
void replaceFile(FileSystem& files, const std::string& path, std::string_view content);

std::string joinPath(std::string_view folder, std::string_view name);
std::string folderOf(const std::string& path);

}  // namespace pelorus
