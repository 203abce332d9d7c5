// Writes the audit log of a server: logins, refusals, and changes, each with its user.
//
//   audit({.operation = "login", .detail = "login userId=eva encrypted=true"});          an event
//
//   AuditedChange change({.operation = "createUser", .detail = "userId=eva"});            a change
//   … make the change; an error that leaves the block is recorded as its failure …
//   change.done();
//
// A line is one JSON object; only the owner of the process can read the file. At `rotateBytes` it is renamed to FILE.1,
// and the oldest of `keptFiles` is removed. Nothing is audited until configureAudit is called: embedded processes have
// no audit log.
//
// A change is two lines: its intent, written before anything is done, and its outcome. A full disk therefore refuses
// the change instead of leaving it out, and a crash in between leaves an intent without an outcome. The intent is
// synced unless it only changes rows, so a change of users, rights or structure is durably audited before it is
// acknowledged. Events that are no changes never fail, since a full disk must not keep the administrator out; the
// server's log reports their loss.
//
// Thread-safe. Secrets in details are hidden (common/hide_secrets.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pelorus {

enum class AuditKind : uint8_t {
    Access,  // logins, connections, refusals, changes of users and rights: getAclAuditLog
    Data,    // changes of databases, tables and rows: getAuditLog
};

// One line of the audit log, without its time and client. The strings must live until the call returns.
struct AuditEvent {
    AuditKind kind = AuditKind::Access;
    std::string_view operation;
    std::string_view user = {};  // empty: the user of the thread's AuditOrigin
    std::string_view detail = {};
    std::string_view database = {};
    std::string_view table = {};
};

struct AuditOptions {
    std::string file;  // empty: nothing is audited
    int64_t rotateBytes = int64_t{64} << 20;
    int keptFiles = 10;     // FILE.1 … FILE.10, in addition to FILE
    std::string node = {};  // the alias of this node
};

// Opens the file of the audit log. Throws SystemError when it cannot be opened; then nothing has changed.
void configureAudit(const AuditOptions& options);
// Returns whether an audit log is open.
bool isAuditing();

// Writes an event. An event that cannot be written is lost, which the server's log reports.
void audit(const AuditEvent& event) noexcept;

// Scope of a change: the constructor writes its intent, `done` or the destructor its outcome. Used by one thread.
class AuditedChange {
public:
    enum class Durability : uint8_t { Synced, Unsynced };

    // Writes the intent. Throws SystemError when it cannot be written: the change must then not be made.
    explicit AuditedChange(const AuditEvent& event, Durability durability = Durability::Synced);
    // Records a failure unless `done` was called.
    ~AuditedChange();
    AuditedChange(const AuditedChange&) = delete;
    AuditedChange& operator=(const AuditedChange&) = delete;

    // Records that the change was made; `detail` is known only after the change, for example the number of rows.
    void done(std::string_view detail = {}) noexcept;

private:
    int64_t id_ = 0;  // 0: nothing is audited, or the outcome was written
};

// Scope in which events of this thread are those of a client. Only the audit log reads it. The strings must live as
// long as the object.
class AuditOrigin {
public:
    struct Client {
        std::string_view user;
        std::string_view address = {};
        int port = 0;
        int64_t session = 0;
    };
    explicit AuditOrigin(const Client& client);
    ~AuditOrigin();
    AuditOrigin(const AuditOrigin&) = delete;
    AuditOrigin& operator=(const AuditOrigin&) = delete;

private:
    Client outer_;
};

// Calls `take` with the newest `most` lines, oldest first, those of rotated files included. Holds no lock meanwhile,
// and one block of a file in memory. Throws SystemError when a file cannot be read.
void readAuditLines(int64_t most, const std::function<void(std::string_view line)>& take);

}  // namespace pelorus
