// What the parts of one statement's translation share.
#pragma once

#include <string>
#include <vector>

#include "postgres/translate/prepared_query.h"
#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// The state of a translation. Lives as long as prepareQuery runs; used by one thread.
class Translation {
public:
    Translation(const SessionFacts& session, Context& context, std::span<const Oid> givenTypes);

    const SessionFacts& session() const { return session_; }
    Context& context() const { return context_; }
    const ConversionHost& host() const { return host_; }
    // Returns a name that no other step, table or column of the statement has.
    std::string freshName(const char* prefix) { return prefix + std::to_string(++names_); }
    // Returns parameter $n; its type is decided by the first use that knows one.
    Typed parameter(int number, int place);
    // Returns the types of all parameters. Throws SqlError 42P18 where one was never decided.
    std::vector<Oid> parameterTypes() const;

    // Records a table that the statement reads, and returns those so far.
    void addTable(TableName table) { tables_.push_back(std::move(table)); }
    const std::vector<TableName>& tables() const { return tables_; }

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
    const SessionFacts& session_;
    Context& context_;
    std::vector<Oid> types_;
    std::vector<TableName> tables_;
    ConversionHost host_;
    int names_ = 0;
    int depth_ = 0;
};

// The most levels of a statement's tree, so that no part of the engine runs out of its stack.
constexpr int kMaxDepth = 1'500;

}  // namespace pelorus::postgres
