// Files and folders behind one interface, so that tests can lose unsynced writes, tear pages, fill the disk and fail a
// sync on purpose.
//
// Every function throws SystemError that names the path and the reason. Written bytes are safe from a power loss after
// File::sync; a file's name (created, renamed, removed) after FileSystem::syncFolder of its folder.
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
    // Writes all bytes or throws SystemError; after an error an unknown part may be there, which `truncate` removes.
    virtual void append(std::string_view bytes) = 0;
    // Overwrites existing bytes; the position of the next `append` does not change.
    virtual void overwrite(int64_t offset, std::string_view bytes) = 0;
    // Returns fewer bytes than asked for only at the end of the file.
    virtual size_t readAt(int64_t offset, void* target, size_t sizeBytes) const = 0;
    // Hints that these bytes are read soon: the system may prefetch them.
    virtual void willRead(int64_t /*offset*/, int64_t /*sizeBytes*/) const {}
    virtual void sync() = 0;
    // Preallocates up to this size, which reads as zeros after the appended bytes, so that syncs need not write the
    // file's size and blocks. A hint: a full disk is no error here.
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
    virtual void describe(std::string_view string) = 0;
};

class FileSystem {
public:
    virtual ~FileSystem() = default;
    // Makes the file, or empties an existing one.
    virtual std::unique_ptr<File> create(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForAppend(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForRead(const std::string& path) = 0;
    virtual bool exists(const std::string& path) = 0;
    // Replaces `to` atomically.
    virtual void rename(const std::string& from, const std::string& to) = 0;
    // Does nothing when the file is absent.
    virtual void remove(const std::string& path) = 0;
    // Makes the folders above it, too. Does nothing when it exists.
    virtual void makeFolder(const std::string& path) = 0;
    virtual void syncFolder(const std::string& path) = 0;
    // Returns the names in the folder, sorted; empty when there is no such folder.
    virtual std::vector<std::string> list(const std::string& path) = 0;
    // Returns how full the disk of a folder is, 0 to 1.
    virtual double usedShare(const std::string& path) = 0;
    // Returns nullptr when another process, or another lock of this one, holds it; `holder` is then its description.
    virtual std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) = 0;

    // The file system of the machine.
    static FileSystem& posix();
};

// Returns the whole content of a file.
std::string readWholeFile(FileSystem& files, const std::string& path);

// Writes a temporary file, syncs, renames, syncs the folder: the result is the old content or the new, never half of
// either.
void replaceFile(FileSystem& files, const std::string& path, std::string_view content);

std::string joinPath(std::string_view folder, std::string_view name);
std::string folderOf(const std::string& path);
// Returns the path from the root on, without `.` and `..`; links in it stay.
std::string absolutePath(const std::string& path);
// Returns the folder of the program that runs; empty when the system does not tell.
std::string folderOfProgram();

}  // namespace pelorus
