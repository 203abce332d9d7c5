// The prepared statements and portals of a session of PostgreSQL's protocol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/change/prepared_change.h"
#include "postgres/translate/prepared_query.h"
#include "runtime/table/table.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// A statement that was parsed and bound. Immutable; portals share it.
struct PreparedStatement {
    std::shared_ptr<const Statement> statement;    // null: an empty text
    std::shared_ptr<const PreparedQuery> query;    // null: the statement is no query
    std::shared_ptr<const PreparedChange> change;  // null: it inserts, updates and deletes nothing
    std::vector<Oid> parameterTypes;
    std::vector<OutputColumn> columns;
    bool hasRows = false;
    std::string text;  // as the client sent it: what places of errors are counted in
};

// A statement with its parameters, which may give its rows a few at a time.
struct Portal {
    std::shared_ptr<const PreparedStatement> prepared;
    std::vector<Value> parameters;
    std::vector<int16_t> formats;  // 0 text, 1 binary: none, one for all columns, or one for each
    Ref<MemoryTable> rows;         // once it ran
    // The row that was sent last, from 1: 0 before the first one, and one more than there are behind the last one.
    int64_t position = 0;
    bool hasRun = false;
    bool isCursor = false;  // made by declare
    bool isWithHold = false;
    bool isBinary = false;  // declared as a binary cursor
};

// Returns whether column `i` of the portal is sent in binary.
bool isBinaryColumn(const Portal& portal, size_t i);

// The named ones of a session, and the nameless ones. The thread of the connection owns it.
class Portals {
public:
    // Return what has the name. They throw SqlError 26000 and 34000 when there is none.
    std::shared_ptr<const PreparedStatement> statement(std::string_view name) const;
    std::shared_ptr<Portal> portal(std::string_view name) const;

    // Add one; the nameless one is replaced. They throw SqlError 42P05 and 42P03 for a name that is taken, and 54000
    // when a session has too many, or too long ones.
    void addStatement(const std::string& name, std::shared_ptr<const PreparedStatement> statement);
    void addPortal(const std::string& name, std::shared_ptr<Portal> portal);

    // Forget one. They return whether there was one.
    bool closeStatement(std::string_view name);
    bool closePortal(std::string_view name);
    void closeStatements();  // but the nameless one
    // Forgets those that end with a transaction; with `all`, cursors with hold, too.
    void closePortals(bool all);

    // Returns the bytes of the rows that portals hold.
    int64_t heldBytes() const;
    size_t portalCount() const { return portals_.size(); }
    const std::map<std::string, std::shared_ptr<const PreparedStatement>, std::less<>>& statements() const {
        return statements_;
    }

private:
    std::map<std::string, std::shared_ptr<const PreparedStatement>, std::less<>> statements_;
    std::map<std::string, std::shared_ptr<Portal>, std::less<>> portals_;
    size_t textBytes_ = 0;  // of statements
};

}  // namespace pelorus::postgres
