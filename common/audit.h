// Audit log of a server: who came, who was refused, and who changed what.
//
//   audit({.operation = "login", .detail = "login userId=eva encrypted=true"});          an event
//
//   AuditedChange change({.operation = "createUser", .detail = "userId=eva"});            a change
//   … make the change; an error that leaves the block is noted as its failure …
//   change.done();
//
// One JSON object a line, in a file that only its owner can read. At `rotateBytes` it becomes FILE.1; the oldest of
// `keptFiles` is removed. Nothing is audited until configureAudit is called: embedded processes have no audit log.
//
// A change is two lines: its intent, written before anything is done, and its outcome. A full disk therefore refuses
// the change instead of leaving it out, and a crash in between leaves an intent without an outcome. The intent is
// synced unless it only changes rows, so a change of users, rights or structure is durably audited before it is
// acknowledged. Events that are no changes never fail: a full disk must not keep the administrator out. The log tells
// of their loss.
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

struct AuditEvent {
    AuditKind kind = AuditKind::Access;
    std::string_view operation;
    std::string_view user = {};  // empty: that of the thread's AuditOrigin
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

// Throws SystemError when the file cannot be opened; then nothing has changed.
void configureAudit(const AuditOptions& options);
bool isAuditing();

void audit(const AuditEvent& event) noexcept;

class AuditedChange {
public:
    enum class Durability : uint8_t { Synced, Unsynced };

    // Throws SystemError when the intent cannot be written: the change must then not be made.
    explicit AuditedChange(const AuditEvent& event, Durability durability = Durability::Synced);
    // Without done(), the change has failed.
    ~AuditedChange();
    AuditedChange(const AuditedChange&) = delete;
    AuditedChange& operator=(const AuditedChange&) = delete;

    // Notes that the change was made; `detail` is what only the change itself told, as the number of rows.
    void done(std::string_view detail = {}) noexcept;

private:
    int64_t id_ = 0;  // 0: nothing is audited, or the outcome is written
};

// Names the client of the events of this thread, while it lives. Only the audit log reads it. The strings need to live
// as long.
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

// Calls `take` with the newest `most` lines that are there now, oldest first, those of rotated files included. Holds no
// lock meanwhile, and one block of a file in memory. Throws SystemError when a file cannot be read.
void readAuditLines(int64_t most, const std::function<void(std::string_view line)>& take);

}  // namespace pelorus
