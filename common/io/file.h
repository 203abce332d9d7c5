// FileSystem and File are the interface to files and folders, so that tests can lose unsynced writes, tear pages, fill
// the disk and fail a sync on purpose.
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
    // Writes all bytes at the end. After an error an unknown part of them may have been written, which `truncate`
    // removes.
    virtual void append(std::string_view bytes) = 0;
    // Overwrites existing bytes; the position of the next `append` does not change.
    virtual void overwrite(int64_t offset, std::string_view bytes) = 0;
    // Reads bytes at an offset and returns their number, which is less than asked for only at the end of the file.
    virtual size_t readAt(int64_t offset, void* target, size_t sizeBytes) const = 0;
    // Hints that these bytes will be read soon: the system may prefetch them.
    virtual void willRead(int64_t /*offset*/, int64_t /*sizeBytes*/) const {}
    // Makes all written bytes durable.
    virtual void sync() = 0;
    // Preallocates up to this size, which reads as zeros after the appended bytes, so that syncs need not write the
    // file's size and blocks. A hint: a full disk is no error here.
    virtual void reserve(int64_t sizeBytes) = 0;
    // Returns the size in bytes, reserved bytes included, until the file is truncated.
    virtual int64_t size() const = 0;
    virtual void truncate(int64_t sizeBytes) = 0;
    virtual const std::string& path() const = 0;
};

// A lock by which this process owns a folder, until it is destroyed.
class FileLock {
public:
    virtual ~FileLock() = default;
    // Sets the description of the holder that other processes read.
    virtual void describe(std::string_view string) = 0;
};

// The operations on paths. Thread-safe.
class FileSystem {
public:
    virtual ~FileSystem() = default;
    // Creates the file, or empties an existing one, for reading and writing.
    virtual std::unique_ptr<File> create(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForAppend(const std::string& path) = 0;
    virtual std::unique_ptr<File> openForRead(const std::string& path) = 0;
    virtual bool exists(const std::string& path) = 0;
    // Renames a file; replaces `to` atomically.
    virtual void rename(const std::string& from, const std::string& to) = 0;
    // Removes a file; does nothing when it is absent.
    virtual void remove(const std::string& path) = 0;
    // Creates a folder and those above it; does nothing when it exists.
    virtual void makeFolder(const std::string& path) = 0;
    // Makes the names in a folder durable.
    virtual void syncFolder(const std::string& path) = 0;
    // Returns the names in the folder, sorted; empty when there is no such folder.
    virtual std::vector<std::string> list(const std::string& path) = 0;
    // Returns the used fraction of the disk of a folder, from 0 to 1.
    virtual double usedShare(const std::string& path) = 0;
    // Locks a file. Returns nullptr when another process, or another lock of this one, holds the lock; `holder` is then
    // its description.
    virtual std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) = 0;

    // Returns the file system of the machine.
    static FileSystem& posix();
};

// Returns the whole content of a file.
std::string readWholeFile(FileSystem& files, const std::string& path);

// Replaces the content of a file atomically and durably: writes a temporary file, syncs and renames it, and syncs the
// folder.
void replaceFile(FileSystem& files, const std::string& path, std::string_view content);

std::string joinPath(std::string_view folder, std::string_view name);
std::string folderOf(const std::string& path);
// Returns the path from the root on, without `.` and `..`; links in it remain.
std::string absolutePath(const std::string& path);
// Returns the folder of the running program; empty when it is unknown.
std::string folderOfProgram();
// Returns the folder of the library that the engine is in, or that of the program where it is no library.
std::string folderOfEngine();

}  // namespace pelorus
