// What the parts of one statement's translation share.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "postgres/translate/prepared_query.h"
#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"
#include "runtime/function/context.h"
#include "storage/catalog/views.h"

namespace pelorus::postgres {

// The state of a translation. Lives as long as prepareQuery runs; used by one thread.
class Translation {
public:
    Translation(const SessionFacts& session, Context& context, std::span<const Oid> givenTypes);

    const SessionFacts& session() const { return *session_; }
    Context& context() const { return context_; }
    const ConversionHost& host() const { return host_; }
    // Returns a name that no other step, table or column of the statement has.
    std::string freshName(const char* prefix) { return prefix + std::to_string(++names_); }
    // Returns parameter $n; its type is decided by the first use that knows one.
    Typed parameter(int number, int place);
    // Returns parameter $n in the place of a literal of this type, whose values all have this scale.
    Typed literalParameter(int number, Oid type, int scale, int place);
    // Returns the types of all parameters. Throws SqlError 42P18 where one was never decided.
    std::vector<Oid> parameterTypes() const;

    // Finds a table of users, and records what its name has found.
    FoundTable findTable(const std::string& schema, const std::string& name, int place);
    // Records a view that the statement reads.
    void noteRead(TableName name) { tables_.push_back(std::move(name)); }
    // Returns the tables and views that the statement reads.
    const std::vector<TableName>& tables() const { return tables_; }
    // Records what the name of the table has found that the statement changes.
    void noteTarget(TableFinding finding) { findings_.push_back(std::move(finding)); }
    // Records that the query is one of this session, or of what it sees at this moment, alone.
    void noteSession() { isOfSession_ = true; }
    // Records that the statement locks rows that it reads: it needs a transaction.
    void noteLocks() { locksRows_ = true; }
    bool locksRows() const { return locksRows_; }
    // Returns what the query's meaning depends on beside its text; nothing to depend on for one of this session alone.
    std::optional<std::vector<TableFinding>> findings() const;

    // Translates the query of a view: names are found by the search path that it was made with. Throws SqlError 42P17
    // for a view that is being translated already.
    class WithinView {
    public:
        WithinView(Translation& translation, const ViewEntry& view);
        ~WithinView();
        WithinView(const WithinView&) = delete;
        // Returns the query, which lasts as long as the translation.
        const nlohmann::json& query() const { return *query_; }

    private:
        Translation& translation_;
        const SessionFacts* const before_;
        SessionFacts session_;
        std::shared_ptr<const nlohmann::json> query_;
    };
    // Finds a view by the name that a statement writes.
    std::optional<ViewEntry> findView(const std::string& schema, const std::string& name) const;

    // Counts the levels of expressions and queries that are open. Throws SqlError 54001 beyond kMaxDepth.
    class Depth {
    public:
        explicit Depth(Translation& translation);
        ~Depth() { --translation_.depth_; }
        Depth(const Depth&) = delete;

    private:
        Translation& translation_;
    };

private:
    const SessionFacts* session_;
    Context& context_;
    std::vector<std::string> openViews_;                              // database and name
    std::vector<std::shared_ptr<const nlohmann::json>> viewQueries_;  // places in them are known by their addresses
    std::vector<Oid> types_;
    std::vector<TableName> tables_;
    std::vector<TableFinding> findings_;
    bool isOfSession_ = false;
    bool locksRows_ = false;
    ConversionHost host_;
    int names_ = 0;
    int depth_ = 0;
};

// The most levels of a statement's tree, so that no part of the engine runs out of its stack.
constexpr int kMaxDepth = 1'500;

}  // namespace pelorus::postgres
