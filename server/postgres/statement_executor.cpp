#include "server/postgres/statement_executor.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/thread/cancellation.h"
#include "postgres/cache/lifted_literals.h"
#include "postgres/cache/statement_cache.h"
#include "postgres/change/open_transaction.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "server/postgres/wire/parameter_values.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {
namespace {

OutputColumn textColumn(std::string label) {
    return {.label = std::move(label), .type = oid::kText};
}

Ref<MemoryTable> textTable(const std::vector<std::vector<std::string>>& columns) {
    std::vector<std::string> names;
    std::vector<Value> values;
    for (const auto& column : columns) {
        names.push_back("c" + std::to_string(names.size()));
        values.push_back(Value::of(Vector::ofStrings(column)));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

// An empty text is a value here, which the engine's empty string is not.
std::string shown(std::string text) {
    return text.empty() ? std::string(1, '\0') : text;
}

// Names are put together as PostgreSQL quotes them.
std::string quoted(const std::string& name) {
    const auto isPlain = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; };
    if (!name.empty() && std::all_of(name.begin(), name.end(), isPlain) &&
        !std::isdigit(static_cast<unsigned char>(name[0])))
        return name;
    std::string result = "\"";
    for (const char c : name) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
}

// Names are quoted in any case: words of the grammar are no names otherwise.
std::string quotedAlways(const std::string& name) {
    const std::string result = quoted(name);
    return result.starts_with('"') ? result : '"' + result + '"';
}

bool endsFailedBlock(StatementKind kind) {
    return kind == StatementKind::Commit || kind == StatementKind::Rollback || kind == StatementKind::RollbackTo;
}

// A statement that sessions share, as one of this one's.
std::shared_ptr<const PreparedStatement> preparedOf(const CachedStatement& shared, std::string text) {
    auto prepared = std::make_shared<PreparedStatement>();
    prepared->statement = shared.statement;
    prepared->query = shared.query;
    prepared->change = shared.change;
    if (shared.query) {
        prepared->parameterTypes = shared.query->parameterTypes();
        prepared->columns = shared.query->columns();
        prepared->hasRows = true;
    } else if (shared.change) {
        prepared->parameterTypes = shared.change->parameterTypes();
        prepared->columns = shared.change->columns();
        prepared->hasRows = !prepared->columns.empty();
    }
    prepared->text = std::move(text);
    return prepared;
}

// Returns whether other sessions may run statements of the kind: queries and changes, and what begins or ends a
// transaction.
bool isKindShared(StatementKind kind) {
    return kind == StatementKind::Query || kind == StatementKind::Change || kind == StatementKind::Begin ||
           kind == StatementKind::Commit || kind == StatementKind::Rollback;
}

// Returns whether other sessions may run the statement.
bool isShareable(const PreparedStatement& prepared) {
    if (!prepared.statement || !isKindShared(prepared.statement->kind)) return false;
    if (prepared.statement->kind == StatementKind::Query) return prepared.query && prepared.query->isShareable();
    if (prepared.statement->kind == StatementKind::Change) return prepared.change && prepared.change->isShareable();
    return true;
}

// Returns whether explain has the option analyze. Throws SqlError 0A000 for a format that is not text.
bool isAnalyzed(const Statement& explain) {
    bool measures = false;
    for (const Option& option : explain.options) {
        if (option.name == "format" && option.value != "text")
            throw SqlError(sql_state::kFeatureNotSupported, "EXPLAIN has the format text alone");
        if (option.name == "analyze")
            measures = option.value != "false" && option.value != "off" && option.value != "0";
    }
    return measures;
}

// Returns the script of `call pelorus('…')`. Throws SqlError for any other call.
std::string calledScript(const Statement& statement) {
    const nlohmann::json& body = bodyOf(*statement.tree);
    const nlohmann::json& call = body["funccall"];
    const std::string name = wordOf(call["funcname"].back());
    if (name != "pelorus")
        throw SqlError(sql_state::kUndefinedFunction, "procedure " + name + " does not exist", placeOf(call),
                       "pelorus('…') runs a script.");
    const bool isText = call.contains("args") && call["args"].size() == 1 && kindOf(call["args"][0]) == "A_Const" &&
                        bodyOf(call["args"][0]).contains("sval");
    if (!isText) throw SqlError(sql_state::kFeatureNotSupported, "pelorus takes one string", placeOf(call));
    return wordOf(call["args"][0]);
}

// Returns whether statements of the kind read or change rows of tables.
bool readsRows(StatementKind kind) {
    return kind == StatementKind::Change || kind == StatementKind::Query || kind == StatementKind::Declare ||
           kind == StatementKind::Explain || kind == StatementKind::Lock || kind == StatementKind::Constraints;
}

[[noreturn]] void refuseInBlock(std::string_view what) {
    throw SqlError("25001", std::string(what) + " cannot run inside a transaction block");
}

// How often a statement is bound anew whose tables get other definitions all the time.
constexpr int kMostAttempts = 20;
constexpr std::string_view kFailedBlock =
    "current transaction is aborted, commands ignored until end of transaction block";

}  // namespace

Context& StatementExecutor::context(std::string_view description) {
    return scope_.open(description, session_.limits().statementMillis);
}

std::shared_ptr<const PreparedStatement> StatementExecutor::prepare(std::shared_ptr<const Statement> statement,
                                                                    std::string text, std::span<const Oid> givenTypes) {
    auto prepared = std::make_shared<PreparedStatement>();
    prepared->statement = std::move(statement);
    prepared->text = std::move(text);
    prepared->parameterTypes.assign(givenTypes.begin(), givenTypes.end());
    if (!prepared->statement) return prepared;
    if (session_.transaction.hasFailed() && !endsFailedBlock(prepared->statement->kind))
        throw SqlError("25P02", std::string(kFailedBlock));
    describe(*prepared, givenTypes);
    return prepared;
}

std::shared_ptr<const PreparedStatement> StatementExecutor::prepareText(std::string text,
                                                                        std::span<const Oid> givenTypes) {
    StatementCache* const cache = scope_.statements();
    std::string key;
    if (cache != nullptr && text.size() <= StatementCache::kMaxTextBytes && !session_.transaction.hasFailed()) {
        key = session_.cacheContext() + 'P';
        for (const Oid type : givenTypes) key += std::to_string(type) + ' ';
        key += '\0' + text;
        if (const auto known = findShared(key, text)) return preparedOf(*known, std::move(text));
    }
    const auto statements = parseStatements(text);
    if (statements.size() > 1)
        throw SqlError(sql_state::kSyntaxError, "cannot insert multiple commands into a prepared statement");
    auto prepared = prepare(statements.empty() ? nullptr : statements[0], std::move(text), givenTypes);
    if (!key.empty() && isShareable(*prepared) && cache->isKnown(key))
        cache->add(key, {prepared->statement, prepared->query, prepared->change});
    return prepared;
}

std::optional<StatementExecutor::Bound> StatementExecutor::prepareShared(const std::string& text) {
    StatementCache* const cache = scope_.statements();
    if (cache == nullptr || text.size() > StatementCache::kMaxTextBytes || session_.transaction.hasFailed()) return {};
    const std::optional<LiftedText> lifted = liftLiterals(text);
    if (!lifted) return {};
    const std::string key = session_.cacheContext() + 'Q' + lifted->shape;
    std::shared_ptr<const CachedStatement> known = findShared(key, text);
    if (!known && !cache->isKnown(key)) return {};
    if (!known) known = prepareLifted(key, *lifted, text);
    if (!known->statement) return {};
    Bound bound{preparedOf(*known, text), {}};
    try {
        const std::vector<Oid>& types = bound.prepared->parameterTypes;
        for (size_t i = 0; i < types.size(); ++i)
            bound.parameters.push_back(
                parseParameter(types[i], lifted->literals[i].value, false, {.zone = session_.style().zone.get()}));
    } catch (const SqlError&) {
        return {};
    }
    return bound;
}

// Finds a statement that still means what it did; a key without a form that is shared is found, too.
std::shared_ptr<const CachedStatement> StatementExecutor::findShared(const std::string& key, const std::string& text) {
    StatementCache& cache = *scope_.statements();
    auto known = cache.find(key);
    const bool isOfTables = known && (known->query || known->change);
    if (!isOfTables || known->isStillMeant(session_.facts(), context(text))) return known;
    cache.remove(key);
    return {};
}

// Prepares a text with parameters in the place of its literals, and keeps what it has become.
std::shared_ptr<const CachedStatement> StatementExecutor::prepareLifted(const std::string& key,
                                                                        const LiftedText& lifted,
                                                                        const std::string& text) {
    CachedStatement made;
    try {
        const auto statements = parseStatements(text);
        if (statements.size() == 1 && isKindShared(statements[0]->kind)) {
            auto statement = std::make_shared<Statement>(*statements[0]);
            auto tree = std::make_shared<nlohmann::json>(*statement->tree);
            const std::optional<std::vector<LiteralUse>> uses = putParameters(*tree, lifted.literals);
            statement->tree = std::move(tree);
            if (uses) {
                const auto prepared = prepare(statement, text, {});
                if (isShareable(*prepared) && areLiftable(lifted.literals, *uses, prepared->parameterTypes))
                    made = {statement, prepared->query, prepared->change};
            }
        }
    } catch (const SqlError&) {
        return std::make_shared<const CachedStatement>();
    }
    scope_.statements()->add(key, made);
    return std::make_shared<const CachedStatement>(std::move(made));
}

void StatementExecutor::describe(PreparedStatement& prepared, std::span<const Oid> givenTypes) {
    const Statement& statement = *prepared.statement;
    const auto bind = [&](const Statement& query) {
        if (query.kind != StatementKind::Query)
            throw SqlError(sql_state::kFeatureNotSupported, "only queries are supported here", -1, "Use a query.");
        prepared.query = prepareQuery(query, givenTypes, session_.facts(), context(prepared.text));
        prepared.parameterTypes = prepared.query->parameterTypes();
    };
    const auto returns = [&](std::vector<OutputColumn> columns) {
        prepared.columns = std::move(columns);
        prepared.hasRows = true;
    };
    switch (statement.kind) {
        case StatementKind::Query:
            bind(statement);
            return returns(prepared.query->columns());
        case StatementKind::Declare:
            return bind(*statement.inner);
        case StatementKind::Explain:
            bind(*statement.inner);
            return returns({textColumn("QUERY PLAN")});
        case StatementKind::Show:
            if (statement.name == "all")
                return returns({textColumn("name"), textColumn("setting"), textColumn("description")});
            return returns({textColumn(SessionSettings::shownName(statement.name))});
        case StatementKind::Execute: {
            const auto named = session_.portals.statement(statement.name);
            if (named->hasRows) returns(named->columns);
            return;
        }
        case StatementKind::Fetch:
            if (!statement.isMove) returns(session_.portals.portal(statement.name)->prepared->query->columns());
            return;
        case StatementKind::Change:
            return changes_.prepare(prepared, givenTypes, context(prepared.text));
        case StatementKind::Call:
            calledScript(statement);
            return;
        default:
            return;
    }
}

void StatementExecutor::commitImplicit() {
    if (!changes_.isOpen() || session_.transaction.isOpen()) return;
    changes_.commit(context("commit"));
}

StatementResult StatementExecutor::run(const PreparedStatement& prepared, std::span<const Value> parameters,
                                       bool isAlone) {
    const auto isSame = [](const OutputColumn& a, const OutputColumn& b) {
        return a.type == b.type && a.label == b.label;
    };
    // A definition may be changed again while the statement is bound to the one before.
    std::shared_ptr<const PreparedStatement> again;
    for (int attempt = 1;; ++attempt) {
        try {
            return runBound(again ? *again : prepared, parameters, isAlone);
        } catch (const StaleStatement&) {
            if ((!prepared.query && !prepared.change) || attempt == kMostAttempts) throw;
            again = prepare(prepared.statement, prepared.text, prepared.parameterTypes);
            if (!std::equal(again->columns.begin(), again->columns.end(), prepared.columns.begin(),
                            prepared.columns.end(), isSame))
                throw;
        }
    }
}

StatementResult StatementExecutor::runBound(const PreparedStatement& prepared, std::span<const Value> parameters,
                                            bool isAlone) {
    const Statement& statement = *prepared.statement;
    if (session_.transaction.hasFailed() && !endsFailedBlock(statement.kind))
        throw SqlError("25P02", std::string(kFailedBlock));
    std::optional<OneSnapshot> snapshot;
    if (HeldSnapshot* const held = session_.heldSnapshot()) snapshot.emplace(*held);
    // A statement that begins the transaction is in it from there on, until its end.
    std::optional<OpenTransaction::Statement> inTransaction;
    std::optional<CancellationScope> cancellation;  // of what waits for locks
    if (readsRows(statement.kind)) {
        inTransaction.emplace(session_.rows);
        cancellation.emplace(&context(prepared.text).request->cancelled);
    }
    switch (statement.kind) {
        case StatementKind::Lock:
            changes_.lockTables(statement, context(prepared.text));
            return {.rows = {}, .tag = statement.tag, .remarks = {}};
        case StatementKind::Constraints:
            return changes_.setConstraints(statement, context(prepared.text));
        case StatementKind::Change:
            return changes_.run(prepared, parameters, isAlone, context(prepared.text));
        case StatementKind::Query: {
            if (!session_.kept.isEmpty()) changes_.beforeOther(prepared.query->tables(), context(prepared.text));
            if (prepared.query->locksRows()) changes_.lockRows(context(prepared.text));
            StatementResult result{
                .rows = prepared.query->run(parameters, context(prepared.text)), .tag = "SELECT", .remarks = {}};
            scope_.requireSize(Value::of(Ref<Table>(result.rows)));
            return result;
        }
        case StatementKind::Begin:
        case StatementKind::Commit:
        case StatementKind::Rollback:
        case StatementKind::Savepoint:
        case StatementKind::Release:
        case StatementKind::RollbackTo:
            return transact(statement);
        case StatementKind::Set:
        case StatementKind::Reset:
            return setVariable(statement);
        case StatementKind::Show:
            return show(statement);
        case StatementKind::Discard:
            return discard(statement);
        case StatementKind::Prepare:
            return prepareByName(prepared);
        case StatementKind::Execute:
            return executeByName(statement, prepared.text, isAlone);
        case StatementKind::Deallocate:
            return deallocate(statement);
        case StatementKind::Declare:
            return declare(prepared, parameters);
        case StatementKind::Fetch:
            return fetch(statement);
        case StatementKind::Close:
            return close(statement);
        case StatementKind::Explain:
            return explain(prepared, parameters);
        case StatementKind::Call:
            return call(prepared);
        default:
            return {.rows = {}, .tag = statement.tag, .remarks = {}};
    }
}

StatementResult StatementExecutor::transact(const Statement& statement) {
    StatementResult result{.rows = {}, .tag = statement.tag, .remarks = {}};
    TransactionState& transaction = session_.transaction;
    const auto warn = [&](const char* state, const char* message) { result.remarks.push_back({state, message, true}); };
    switch (statement.kind) {
        case StatementKind::Begin:
            if (transaction.isOpen()) {
                warn("25001", "there is already a transaction in progress");
            } else {
                begin(statement);
            }
            return result;
        case StatementKind::Commit:
        case StatementKind::Rollback: {
            const bool isKept = statement.kind == StatementKind::Commit && !transaction.hasFailed();
            if (!transaction.isOpen()) {
                // What was sent together with it is one transaction, which ends here.
                if (isKept) commitImplicit();
                session_.endImplicit(isKept);
                warn("25P01", "there is no transaction in progress");
            } else {
                if (isKept) commitBlock();
                session_.endBlock(isKept);
            }
            result.tag = isKept || (statement.kind == StatementKind::Commit && result.remarks.size() > 0) ? "COMMIT"
                                                                                                          : "ROLLBACK";
            return result;
        }
        case StatementKind::Savepoint:
            transaction.savepoint(statement.name);
            session_.settings.savepoint();
            session_.kept.savepoint();
            session_.rows.savepoint();
            return result;
        case StatementKind::Release: {
            const size_t stay = transaction.release(statement.name);
            session_.settings.release(stay);
            session_.kept.release(stay);
            session_.rows.release(stay);
            return result;
        }
        default: {
            const size_t stay = transaction.rollbackTo(statement.name);
            session_.settings.rollbackTo(stay - 1);
            session_.kept.rollbackTo(stay);
            session_.rows.rollbackTo(stay);
            session_.noteSettings();
            return result;
        }
    }
}

// Stores the rows of the block, which ends when they cannot be.
void StatementExecutor::commitBlock() {
    if (!changes_.isOpen()) return;
    try {
        changes_.commit(context("commit"));
    } catch (...) {
        session_.endBlock(false);
        throw;
    }
}

void StatementExecutor::begin(const Statement& statement) {
    commitImplicit();
    session_.beginBlock();
    try {
        for (const char* name : {"transaction_isolation", "transaction_read_only"})
            session_.set(name, session_.settings.get(std::string("default_") + name), true);
        for (const Option& option : statement.options) session_.set(option.name, option.value, true);
    } catch (const SqlError&) {
        session_.endBlock(false);
        throw;
    }
}

StatementResult StatementExecutor::setVariable(const Statement& statement) {
    StatementResult result{.rows = {}, .tag = statement.tag, .remarks = {}};
    if (statement.kind == StatementKind::Reset) {
        session_.reset(statement.name);
        return result;
    }
    if (!statement.options.empty()) {
        // `set transaction …` is of this block, `set session characteristics …` of those to come.
        const bool isOfSession = statement.name != "TRANSACTION";
        if (!isOfSession && !session_.transaction.isOpen())
            result.remarks.push_back({"25P01", "SET TRANSACTION can only be used in transaction blocks", true});
        for (const Option& option : statement.options)
            session_.set((isOfSession ? "default_" : "") + option.name, option.value, !isOfSession);
        return result;
    }
    if (statement.isLocal && !session_.transaction.isOpen())
        result.remarks.push_back({"25P01", "SET LOCAL can only be used in transaction blocks", true});
    if (statement.values.empty()) {
        session_.reset(statement.name);
        return result;
    }
    std::string value;
    for (const std::string& part : statement.values) {
        if (!value.empty()) value += ", ";
        value += statement.name == "search_path" ? quoted(part) : part;
    }
    session_.set(statement.name, value, statement.isLocal);
    return result;
}

StatementResult StatementExecutor::show(const Statement& statement) const {
    if (statement.name != "all")
        return {.rows = textTable({{shown(session_.settings.get(statement.name))}}), .tag = "SHOW", .remarks = {}};
    std::vector<std::vector<std::string>> columns(3);
    for (const SettingFacts& facts : allSettings()) {
        columns[0].emplace_back(facts.name);
        columns[1].push_back(shown(session_.settings.get(facts.name)));
        columns[2].push_back(shown(std::string(facts.summary)));
    }
    return {.rows = textTable(columns), .tag = "SHOW", .remarks = {}};
}

StatementResult StatementExecutor::discard(const Statement& statement) {
    if (statement.name == "all") {
        if (session_.transaction.isOpen()) refuseInBlock("DISCARD ALL");
        session_.portals.closePortals(true);
        session_.portals.closeStatements();
        session_.rows.unlockAll();
        session_.reset("all");
    }
    const bool hasTemporary = !session_.facts().temporarySchema.empty();
    if (hasTemporary && (statement.name == "all" || statement.name == "temp")) {
        if (session_.transaction.isOpen()) refuseInBlock("DISCARD TEMP");
        commitImplicit();
        session_.dropTemporary(*context("discard").services);
    }
    return {.rows = {}, .tag = statement.tag, .remarks = {}};
}

StatementResult StatementExecutor::prepareByName(const PreparedStatement& prepared) {
    const Statement& statement = *prepared.statement;
    session_.portals.addStatement(statement.name, prepare(statement.inner, prepared.text, statement.argumentTypes));
    return {.rows = {}, .tag = statement.tag, .remarks = {}};
}

// Computes an argument of `execute` and brings it into the type of the parameter.
Value StatementExecutor::argument(const Statement& statement, const std::string& text, Oid type) {
    const auto query = prepareQuery(statement, {}, session_.facts(), context(text));
    const Ref<MemoryTable> row = query->run({}, context(text));
    if (row->rowCount() != 1 || row->columnCount() != 1) return Value();
    const OutputColumn& column = query->columns().at(0);
    const Value value = row->column(0).at(0);
    std::string shownText;
    if (!fieldText(column, value, session_.style(), shownText)) return Value();
    return parseParameter(type, shownText, false, {.zone = session_.style().zone.get()});
}

StatementResult StatementExecutor::executeByName(const Statement& statement, const std::string& text, bool isAlone) {
    const auto named = session_.portals.statement(statement.name);
    const std::vector<Oid>& types = named->parameterTypes;
    if (statement.arguments.size() != types.size()) {
        SqlError error(sql_state::kSyntaxError,
                       "wrong number of parameters for prepared statement \"" + statement.name + "\"");
        error.setDetail("Expected " + std::to_string(types.size()) + " parameters but got " +
                        std::to_string(statement.arguments.size()) + ".");
        throw error;
    }
    std::vector<Value> arguments;
    for (size_t i = 0; i < types.size(); ++i) arguments.push_back(argument(*statement.arguments[i], text, types[i]));
    return run(*named, arguments, isAlone);
}

StatementResult StatementExecutor::deallocate(const Statement& statement) {
    if (statement.name.empty()) {
        session_.portals.closeStatements();
    } else if (!session_.portals.closeStatement(statement.name)) {
        throw SqlError("26000", "prepared statement \"" + statement.name + "\" does not exist");
    }
    return {.rows = {}, .tag = statement.tag, .remarks = {}};
}

StatementResult StatementExecutor::declare(const PreparedStatement& prepared, std::span<const Value> parameters) {
    const Statement& statement = *prepared.statement;
    if (!session_.transaction.isOpen() && !statement.isWithHold)
        throw SqlError("25P01", "DECLARE CURSOR can only be used in transaction blocks");
    auto portal = std::make_shared<Portal>();
    auto query = std::make_shared<PreparedStatement>(prepared);
    query->columns = prepared.query->columns();
    query->hasRows = true;
    portal->prepared = std::move(query);
    portal->isCursor = true;
    if (!session_.kept.isEmpty()) changes_.beforeOther(prepared.query->tables(), context(prepared.text));
    if (prepared.query->locksRows()) changes_.lockRows(context(prepared.text));
    portal->isWithHold = statement.isWithHold;
    portal->isBinary = statement.isBinary;
    portal->rows = prepared.query->run(parameters, context(prepared.text));
    portal->hasRun = true;
    scope_.requireSize(Value::of(Ref<Table>(portal->rows)));
    session_.portals.addPortal(statement.name, std::move(portal));
    return {.rows = {}, .tag = statement.tag, .remarks = {}};
}

StatementResult StatementExecutor::fetch(const Statement& statement) {
    Portal& cursor = *session_.portals.portal(statement.name);
    if (!cursor.isCursor || !cursor.rows) throw SqlError("34000", "cursor \"" + statement.name + "\" does not exist");
    const int64_t total = cursor.rows->rowCount();
    const bool isBackward = statement.isBackward != (statement.count < 0);
    const int64_t wanted = statement.count == INT64_MIN ? INT64_MAX : std::abs(statement.count);
    Ref<MemoryTable> rows;
    if (wanted == 0) {
        const bool isOnRow = cursor.position >= 1 && cursor.position <= total;
        rows = cursor.rows->slice(isOnRow ? cursor.position - 1 : 0, isOnRow ? 1 : 0);
    } else if (!isBackward) {
        const int64_t begin = std::min(cursor.position, total);
        const int64_t count = std::min(wanted, total - begin);
        rows = cursor.rows->slice(begin, count);
        cursor.position = count < wanted ? total + 1 : begin + count;
    } else {
        const int64_t before = std::max<int64_t>(cursor.position - 1, 0);
        const int64_t count = std::min(wanted, before);
        std::vector<int32_t> positions;
        for (int64_t i = 0; i < count; ++i) positions.push_back(static_cast<int32_t>(before - 1 - i));
        rows = cursor.rows->gather(positions.data(), count);
        cursor.position = count < wanted ? 0 : before - count + 1;
    }
    if (statement.isMove) return {.rows = {}, .tag = "MOVE " + std::to_string(rows->rowCount()), .remarks = {}};
    return {.rows = rows, .tag = "FETCH", .remarks = {}};
}

StatementResult StatementExecutor::close(const Statement& statement) {
    if (statement.name.empty()) {
        session_.portals.closePortals(true);
    } else if (!session_.portals.closePortal(statement.name)) {
        throw SqlError("34000", "cursor \"" + statement.name + "\" does not exist");
    }
    return {.rows = {}, .tag = statement.tag, .remarks = {}};
}

StatementResult StatementExecutor::explain(const PreparedStatement& prepared, std::span<const Value> parameters) {
    const bool measures = isAnalyzed(*prepared.statement);
    if (measures && !session_.kept.isEmpty()) changes_.beforeOther(prepared.query->tables(), context(prepared.text));
    if (measures && prepared.query->locksRows()) changes_.lockRows(context(prepared.text));
    std::vector<std::string> lines(1);
    for (const char c : measures ? prepared.query->measured(parameters, context(prepared.text))
                                 : prepared.query->explained(context(prepared.text))) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    for (std::string& line : lines) line = shown(std::move(line));
    return {.rows = textTable({lines}), .tag = "EXPLAIN", .remarks = {}};
}

// Runs a script of the language, in a session of its own.
StatementResult StatementExecutor::call(const PreparedStatement& prepared) {
    const std::string script = calledScript(*prepared.statement);
    if (session_.transaction.isOpen()) refuseInBlock("CALL of a script");
    changes_.requireWritable("CALL");
    changes_.beforeOther({}, context(prepared.text));
    StatementResult result{.rows = {}, .tag = "CALL", .remarks = {}};
    const Value value = scope_.runScript(script, context(prepared.text));
    if (value.isVoid()) return result;
    result.rows = value.isTable() && value.table().asMemory() != nullptr ? Ref<MemoryTable>(value.table().asMemory())
                                                                         : textTable({{shown(displayWhole(value))}});
    scope_.requireSize(Value::of(Ref<Table>(result.rows)));
    return result;
}

std::shared_ptr<const PreparedStatement> StatementExecutor::prepareCopy(const Statement& copy,
                                                                        const std::string& text) {
    if (copy.inner) return prepare(copy.inner, text, {});
    std::string query = "select ";
    for (size_t i = 0; i < copy.copy.columns.size(); ++i)
        query += (i > 0 ? ", " : "") + quotedAlways(copy.copy.columns[i]);
    if (copy.copy.columns.empty()) query += '*';
    query += " from ";
    if (!copy.copy.schema.empty()) query += quotedAlways(copy.copy.schema) + '.';
    query += quotedAlways(copy.copy.table);
    return prepare(parseStatements(query).at(0), query, {});
}

}  // namespace pelorus::postgres
