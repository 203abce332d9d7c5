// Principal is the user of a request, with the rights that the user has.
//
// A principal is made when a request begins, and does not change: rights that are granted or revoked meanwhile apply
// from the next request on. All checks of rights below the server use it; the server makes principals out of its users
// (server/access). A process without users, an embedded database, has the owner alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pelorus {

// The actions that a user may have the right to. TABLE_READ, DB_READ, SCHEMA_READ and CATALOG_READ are one right on
// objects of different extent; WRITE is Insert, Update and Delete.
enum class Right : uint8_t {
    Read,
    Insert,
    Update,
    Delete,
    CreateObject,    // DBOBJ_CREATE: tables of a database
    DeleteObject,    // DBOBJ_DELETE
    Manage,          // DB_MANAGE, SCHEMA_MANAGE: the drop of a database, its partitions and tables
    CreateDatabase,  // DB_OWNER
    ManageCatalog,   // CATALOG_MANAGE: schemas and the name of a catalog
    ExecuteView,     // VIEW_EXEC
    CreateView,      // VIEW_OWNER
    ExecuteScript,   // SCRIPT_EXEC
    ExecuteTest,     // TEST_EXEC
    CreateShared,    // CREATE_SHARED_VAR
    ReadFiles,       // FILE_READ: of a folder that users share
    WriteFiles,      // FILE_WRITE
    WriteModules,    // MODULE_WRITE: the code that sessions of other users run
    ExecuteTool,     // MCP_EXEC: a published tool or prompt of language models
    DevelopTools,    // MCP_DEVELOP
    PublishTools,    // MCP_MANAGE
};
constexpr size_t kRights = 20;

// The object that a right is checked for. The caller owns the strings, which must live as long as the check.
struct SecuredObject {
    enum class Kind : uint8_t { Nothing, Catalog, Database, Table, SharedTable, View, Folder, ModelTool };
    Kind kind = Kind::Nothing;
    std::string_view database = {};  // "dfs://TAQ", of a database or a table
    std::string_view name = {};      // name of a table, shared table, view, catalog or folder; "tools/x"
    uint64_t table = 0;              // the catalog's id of a table
    std::string_view owner = {};     // the user who created it

    static SecuredObject ofDatabase(std::string_view path, std::string_view owner) {
        return {.kind = Kind::Database, .database = path, .owner = owner};
    }
};

// The rights that a user and the user's groups were granted, as they were at one moment. Immutable.
class GrantedRights {
public:
    virtual ~GrantedRights() = default;
    // Returns whether the right was granted and not denied. Costs two look-ups of a hash table, and takes no lock.
    // O(1).
    virtual bool allows(Right right, const SecuredObject& object) const = 0;
    // Returns whether the right was denied for everything: SCRIPT_EXEC refuses only then.
    virtual bool denies(Right right) const = 0;
    // Returns the maximum size of a result of this user in bytes; 0: the user has no limit.
    virtual int64_t maxResultBytes() const { return 0; }
};

// One user at one moment. Immutable; requests share it.
class Principal {
public:
    // The powers that do not depend on an object.
    struct Powers {
        bool everything = false;    // has every right: `admin`, and the owner of an embedded database
        bool administers = false;   // calls functions of Facet::Admin, manages users
        bool opensFiles = false;    // opens files in the node's file folders
        bool opensAnyFile = false;  // opens any file of the machine, as far as the system permits the process
        bool ownsAllData = false;   // has every right to data: clients of a development server
        bool callsPublic = false;   // calls functions of Facet::Public and runs scripts; else those of Facet::Open
        bool isNode = false;        // another node of the cluster acts for the user
        bool readsOnly = false;     // the request changes nothing but its own variables
    };

    Principal(std::string user, Powers powers, std::shared_ptr<const GrantedRights> granted = nullptr)
        : user_(std::move(user)), powers_(powers), granted_(std::move(granted)) {}
    // Makes the same user with other powers.
    Principal(const Principal& other, Powers powers) : Principal(other.user_, powers, other.granted_) {}

    // Returns the user of a process that has no users: the embedded database's owner, named admin.
    static const std::shared_ptr<const Principal>& owner();
    // Returns the user of clients that did not log in, who may call functions of Facet::Open.
    static const std::shared_ptr<const Principal>& guest();

    const std::string& user() const { return user_; }
    const Powers& powers() const { return powers_; }
    bool isGuest() const { return user_ == "guest"; }
    bool isNode() const { return powers_.isNode; }
    bool administers() const { return powers_.administers; }

    bool may(Right right, const SecuredObject& object = {}) const;
    // Throws UserError without the right. Its message begins with <NoPrivilege>, which clients search for.
    void require(Right right, const SecuredObject& object = {}) const {
        if (powers_.everything) return;
        if (!may(right, object)) refuse(right, object);
    }
    // Throws UserError unless the user administers the server; `what` completes "Only administrators can …".
    void requireAdministrator(std::string_view what) const;
    // Throws UserError when the request may only read; `what` begins the message, for example "dropTable".
    void requireChanges(std::string_view what) const {
        if (powers_.readsOnly) refuseChange(what);
    }
    // Returns whether the user may see or end jobs and sessions of `owner`.
    bool mayManageWorkOf(std::string_view owner) const { return powers_.administers || (owner == user_ && !isGuest()); }
    // Throws UserError when clients of this user may not run scripts, since SCRIPT_EXEC was denied.
    void requireScripts() const;
    const GrantedRights* granted() const { return granted_.get(); }

    // Returns this user as the definer of a function view that `caller` called. `caller` lives as long as the result.
    std::shared_ptr<const Principal> calledBy(const Principal& caller) const;
    // Returns the caller of the function view that runs with this user's rights; null outside of views.
    const Principal* caller() const { return caller_; }

private:
    [[noreturn]] void refuse(Right right, const SecuredObject& object) const;
    [[noreturn]] static void refuseChange(std::string_view what);

    const std::string user_;
    const Powers powers_;
    const std::shared_ptr<const GrantedRights> granted_;  // null: none
    const Principal* caller_ = nullptr;
};

}  // namespace pelorus
