#include "postgres/parse/parsed_statement.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "postgres/parse/literal_rows.h"
#include "postgres/parse/pg_query_library.h"
#include "postgres/parse/signed_options.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using StatementRef = std::shared_ptr<const Statement>;

// A statement that is being made, with the string that the tree's places refer to.
struct Making {
    Statement& statement;
    const Json& body;  // of the node: what is under "SelectStmt"
};

// A tree that is inside of another one, as a statement of its own.
StatementRef innerStatement(const Statement& outer, const Json& tree);

std::vector<Option> optionsOf(const Json& list) {
    std::vector<Option> options;
    for (const Json& item : list) {
        const Json& element = bodyOf(item);
        options.push_back({textOf(element, "defname"), element.contains("arg") ? wordOf(element["arg"]) : ""});
    }
    return options;
}

void makeTransaction(Making making) {
    Statement& statement = making.statement;
    const std::string kind = textOf(making.body, "kind");
    statement.name = textOf(making.body, "savepoint_name");
    if (making.body.contains("options")) statement.options = optionsOf(making.body["options"]);
    const auto become = [&statement](StatementKind becomes, const char* tag) {
        statement.kind = becomes;
        statement.tag = tag;
    };
    if (kind == "TRANS_STMT_BEGIN") return become(StatementKind::Begin, "BEGIN");
    if (kind == "TRANS_STMT_START") return become(StatementKind::Begin, "START TRANSACTION");
    if (kind == "TRANS_STMT_COMMIT") return become(StatementKind::Commit, "COMMIT");
    if (kind == "TRANS_STMT_ROLLBACK") return become(StatementKind::Rollback, "ROLLBACK");
    if (kind == "TRANS_STMT_SAVEPOINT") return become(StatementKind::Savepoint, "SAVEPOINT");
    if (kind == "TRANS_STMT_RELEASE") return become(StatementKind::Release, "RELEASE");
    if (kind == "TRANS_STMT_ROLLBACK_TO") return become(StatementKind::RollbackTo, "ROLLBACK");
    throw SqlError(sql_state::kFeatureNotSupported, "Transactions in two phases are not supported.");
}

void makeSet(Making making) {
    Statement& statement = making.statement;
    const std::string kind = textOf(making.body, "kind");
    statement.name = textOf(making.body, "name");
    statement.isLocal = flagOf(making.body, "is_local");
    if (kind == "VAR_RESET" || kind == "VAR_RESET_ALL") {
        statement.kind = StatementKind::Reset;
        statement.tag = "RESET";
        if (kind == "VAR_RESET_ALL") statement.name = "all";
        return;
    }
    statement.kind = StatementKind::Set;
    statement.tag = "SET";
    if (!making.body.contains("args")) return;
    // `set transaction isolation level …` is a list of options, `set x = 1, y` one of constants.
    for (const Json& item : making.body["args"]) {
        if (item.contains("DefElem"))
            statement.options.push_back({textOf(item["DefElem"], "defname"), wordOf(item["DefElem"]["arg"])});
        else
            statement.values.push_back(wordOf(item));
    }
}

void makeFetch(Making making) {
    Statement& statement = making.statement;
    statement.kind = StatementKind::Fetch;
    statement.name = textOf(making.body, "portalname");
    statement.isMove = flagOf(making.body, "ismove");
    statement.tag = statement.isMove ? "MOVE" : "FETCH";
    const std::string direction = textOf(making.body, "direction");
    if (direction == "FETCH_ABSOLUTE" || direction == "FETCH_RELATIVE")
        throw SqlError(sql_state::kFeatureNotSupported,
                       "Cursors go forward only: fetch absolute and relative are not supported.");
    statement.isBackward = direction == "FETCH_BACKWARD";
    if (making.body.contains("howMany")) {
        const Json& count = making.body["howMany"];
        statement.count =
            count.is_string() ? std::strtoll(count.get<std::string>().c_str(), nullptr, 10) : count.get<int64_t>();
    }
}

void makeDeclare(Making making) {
    constexpr int kBinaryOption = 1, kHoldOption = 32;
    Statement& statement = making.statement;
    statement.kind = StatementKind::Declare;
    statement.tag = "DECLARE CURSOR";
    statement.name = textOf(making.body, "portalname");
    const int64_t options = numberOf(making.body, "options");
    statement.isBinary = (options & kBinaryOption) != 0;
    statement.isWithHold = (options & kHoldOption) != 0;
    statement.inner = innerStatement(statement, making.body["query"]);
}

void makeCopy(Making making) {
    Statement& statement = making.statement;
    statement.kind = StatementKind::Copy;
    statement.tag = "COPY";
    CopyTarget& copy = statement.copy;
    copy.isFrom = flagOf(making.body, "is_from");
    copy.isProgram = flagOf(making.body, "is_program");
    copy.file = textOf(making.body, "filename");
    if (making.body.contains("relation")) {
        copy.schema = textOf(making.body["relation"], "schemaname");
        copy.table = textOf(making.body["relation"], "relname");
    }
    if (making.body.contains("query")) statement.inner = innerStatement(statement, making.body["query"]);
    if (making.body.contains("attlist"))
        for (const Json& column : making.body["attlist"]) copy.columns.push_back(wordOf(column));
    if (making.body.contains("options")) statement.options = optionsOf(making.body["options"]);
}

void makePrepare(Making making) {
    Statement& statement = making.statement;
    statement.kind = StatementKind::Prepare;
    statement.tag = "PREPARE";
    statement.name = textOf(making.body, "name");
    if (making.body.contains("argtypes"))
        for (const Json& type : making.body["argtypes"])
            statement.argumentTypes.push_back(writtenType(bodyOf(type)).type);
    statement.inner = innerStatement(statement, making.body["query"]);
}

void makeExecute(Making making) {
    Statement& statement = making.statement;
    statement.kind = StatementKind::Execute;
    statement.name = textOf(making.body, "name");
    if (!making.body.contains("params")) return;
    for (const Json& value : making.body["params"]) {
        const Json target = {{"ResTarget", {{"val", value}}}};
        const Json select = {{"SelectStmt", {{"targetList", Json::array({target})}, {"op", "SETOP_NONE"}}}};
        statement.arguments.push_back(innerStatement(statement, select));
    }
}

void makeExplain(Making making) {
    Statement& statement = making.statement;
    statement.kind = StatementKind::Explain;
    statement.tag = "EXPLAIN";
    if (making.body.contains("options")) statement.options = optionsOf(making.body["options"]);
    statement.inner = innerStatement(statement, making.body["query"]);
}

void makeNamed(Making making, StatementKind kind, const char* tag, const char* key) {
    making.statement.kind = kind;
    making.statement.tag = tag;
    making.statement.name = textOf(making.body, key);
}

void makeDiscard(Making making) {
    making.statement.kind = StatementKind::Discard;
    std::string target = textOf(making.body, "target");  // DISCARD_ALL
    target = target.substr(std::min(target.size(), std::string_view("DISCARD_").size()));
    making.statement.tag = "DISCARD " + target;
    std::transform(target.begin(), target.end(), target.begin(), [](unsigned char c) { return std::tolower(c); });
    making.statement.name = target;
}

// Tags of statements that change something; a count follows those of insert, update and delete.
const char* changeTag(std::string_view node) {
    if (node == "InsertStmt") return "INSERT";
    if (node == "UpdateStmt") return "UPDATE";
    if (node == "DeleteStmt") return "DELETE";
    if (node == "CreateStmt") return "CREATE TABLE";
    if (node == "CreateSchemaStmt") return "CREATE SCHEMA";
    if (node == "CreateTableAsStmt") return "SELECT";
    if (node == "IndexStmt") return "CREATE INDEX";
    if (node == "ViewStmt") return "CREATE VIEW";
    if (node == "TruncateStmt") return "TRUNCATE TABLE";
    if (node == "AlterTableStmt") return "ALTER TABLE";
    if (node == "RenameStmt") return "ALTER TABLE";
    if (node == "CreateSeqStmt") return "CREATE SEQUENCE";
    if (node == "AlterSeqStmt") return "ALTER SEQUENCE";
    return "";
}

// OBJECT_FOREIGN_TABLE is FOREIGN TABLE.
std::string dropTag(const Json& body) {
    std::string kind = textOf(body, "removeType");
    kind.erase(0, std::min(kind.size(), std::string_view("OBJECT_").size()));
    if (kind == "MATVIEW") kind = "MATERIALIZED VIEW";
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return "DROP " + kind;
}

void makeByKind(Making making, std::string_view node) {
    Statement& statement = making.statement;
    if (node == "SelectStmt") {
        statement.kind = making.body.contains("intoClause") ? StatementKind::Change : StatementKind::Query;
        statement.tag = "SELECT";
    } else if (node == "TransactionStmt") {
        makeTransaction(making);
    } else if (node == "VariableSetStmt") {
        makeSet(making);
    } else if (node == "VariableShowStmt") {
        makeNamed(making, StatementKind::Show, "SHOW", "name");
    } else if (node == "DiscardStmt") {
        makeDiscard(making);
    } else if (node == "PrepareStmt") {
        makePrepare(making);
    } else if (node == "ExecuteStmt") {
        makeExecute(making);
    } else if (node == "DeallocateStmt") {
        makeNamed(making, StatementKind::Deallocate, making.body.contains("name") ? "DEALLOCATE" : "DEALLOCATE ALL",
                  "name");
    } else if (node == "DeclareCursorStmt") {
        makeDeclare(making);
    } else if (node == "FetchStmt") {
        makeFetch(making);
    } else if (node == "ClosePortalStmt") {
        makeNamed(making, StatementKind::Close, "CLOSE CURSOR", "portalname");
    } else if (node == "CopyStmt") {
        makeCopy(making);
    } else if (node == "ExplainStmt") {
        makeExplain(making);
    } else if (node == "LockStmt") {
        statement.kind = StatementKind::Lock;
        statement.tag = "LOCK TABLE";
    } else if (node == "ConstraintsSetStmt") {
        statement.kind = StatementKind::Constraints;
        statement.tag = "SET CONSTRAINTS";
        statement.isDeferred = flagOf(making.body, "deferred");
        if (making.body.contains("constraints"))
            for (const Json& name : making.body["constraints"])
                statement.values.push_back(textOf(bodyOf(name), "relname"));
    } else if (node == "CallStmt") {
        statement.kind = StatementKind::Call;
        statement.tag = "CALL";
    } else if (node == "VacuumStmt" || node == "CommentStmt" || node == "CheckPointStmt") {
        statement.kind = StatementKind::Nothing;
        statement.tag = node == "CommentStmt"                 ? "COMMENT"
                        : node == "CheckPointStmt"            ? "CHECKPOINT"
                        : flagOf(making.body, "is_vacuumcmd") ? "VACUUM"
                                                              : "ANALYZE";
    } else if (node == "DropStmt") {
        statement.kind = StatementKind::Change;
        statement.tag = dropTag(making.body);
    } else {
        statement.kind = StatementKind::Change;
        statement.tag = changeTag(node);
    }
}

StatementRef makeStatement(std::string text, int begin, Json tree, std::shared_ptr<const LiteralRows> rows = nullptr) {
    auto statement = std::make_shared<Statement>();
    statement->literalRows = std::move(rows);
    statement->text = std::move(text);
    statement->begin = begin;
    const auto kept = std::make_shared<const Json>(std::move(tree));
    statement->tree = kept;
    makeByKind({*statement, bodyOf(*kept)}, kindOf(*kept));
    return statement;
}

StatementRef innerStatement(const Statement& outer, const Json& tree) {
    return makeStatement(outer.text, outer.begin, tree);
}

// Returns the statement's own part of the string: without blanks and comments before it.
std::string_view ownText(std::string_view text, size_t& begin, size_t length) {
    std::string_view own = text.substr(begin, length == 0 ? std::string_view::npos : length);
    const size_t skipped = std::min(own.find_first_not_of(" \t\r\n"), own.size());
    begin += skipped;
    own.remove_prefix(skipped);
    while (!own.empty() && std::string_view(" \t\r\n;").find(own.back()) != std::string_view::npos)
        own.remove_suffix(1);
    return own;
}

// Returns whether a parsed text is one insert of one row of values, as a text that rows were cut out of has to be.
bool isInsertOfOneRow(const Json& parsed) {
    if (!parsed.contains("stmts") || parsed["stmts"].size() != 1 || !parsed["stmts"][0].contains("stmt")) return false;
    const Json& statement = parsed["stmts"][0]["stmt"];
    if (kindOf(statement) != "InsertStmt" || !bodyOf(statement).contains("selectStmt") ||
        bodyOf(statement).contains("withClause"))
        return false;
    const Json& select = bodyOf(bodyOf(statement)["selectStmt"]);
    const auto has = [&](const char* clause) { return select.contains(clause); };
    return has("valuesLists") && select["valuesLists"].size() == 1 && !has("sortClause") && !has("limitCount") &&
           !has("limitOffset") && !has("withClause");
}

}  // namespace

std::vector<StatementRef> parseStatements(std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        throw SqlError("22021", "invalid byte sequence for encoding \"UTF8\": 0x00");
    CutText cut = cutLiteralRows(text);
    Json parsed = parseTree(cut.rows ? cut.text : std::string(text));
    if (cut.rows && !isInsertOfOneRow(parsed)) {
        cut = {};
        parsed = parseTree(std::string(text));
    }
    std::vector<StatementRef> statements;
    if (!parsed.contains("stmts")) return statements;
    for (Json& item : parsed["stmts"]) {
        if (!item.contains("stmt")) continue;
        auto begin = static_cast<size_t>(numberOf(item, "stmt_location"));
        const auto length = static_cast<size_t>(numberOf(item, "stmt_len"));
        const std::string own(ownText(text, begin, length));
        const std::string_view kind = kindOf(item["stmt"]);
        if (kind == "CreateSeqStmt" || kind == "AlterSeqStmt" || kind == "CreateStmt" || kind == "AlterTableStmt")
            readSignedOptions(item["stmt"], text);
        statements.push_back(makeStatement(own, static_cast<int>(begin), std::move(item["stmt"]), cut.rows));
    }
    return statements;
}

}  // namespace pelorus::postgres
