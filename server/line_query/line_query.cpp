#include "server/line_query/line_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/check.h"
#include "common/error.h"
#include "common/io/audit.h"
#include "common/string/trim.h"
#include "database/service/database_handle.h"
#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "interpreter/parser/keywords.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "server/line_protocol/url_query.h"
#include "server/line_query/json_rows.h"
#include "server/line_query/query_dialect.h"
#include "server/line_query/query_tokens.h"
#include "server/line_query/table_body.h"
#include "server/session/script_host.h"

namespace pelorus {
namespace {

constexpr std::string_view kBlanksAndSemicolons = " \t\n\v\f\r;";

using Json = nlohmann::ordered_json;
// An answer is made in memory.
constexpr int64_t kMaxCells = 20'000'000;

struct Answer {
    Json columns = Json::array();
    std::string dataset = "[]";  // JSON
    int64_t rows = 0;            // number of rows of the dataset
    int64_t count = 0;           // number of rows of the result
};

// Returns the names and keywords of a query, names in double quotes without them.
std::vector<std::string> wordsOf(std::string_view query) {
    std::vector<std::string> words;
    for (const QueryToken& token : queryTokens(query)) {
        if (token.isWord()) words.push_back(token.name);
        // A table may be called 2026: SHOW COLUMNS FROM 2026.
        if (token.kind == QueryToken::Kind::Number || token.kind == QueryToken::Kind::String)
            words.push_back(token.kind == QueryToken::Kind::String ? token.unquoted() : token.string);
    }
    return words;
}

bool isWord(const std::vector<std::string>& words, size_t i, std::string_view lower) {
    return i < words.size() && words[i].size() == lower.size() &&
           std::equal(lower.begin(), lower.end(), words[i].begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

Json describeColumn(const std::string& name, Type type) {
    return {{"name", name}, {"type", jsonTypeName(type)}};
}

Answer answerOf(const Value& result, int64_t begin, int64_t end) {
    Answer answer;
    if (!result.isTable()) {
        answer.columns.push_back(describeColumn("value", result.type()));
        answer.dataset = "[[" + jsonValue(result) + "]]";
        answer.rows = answer.count = 1;
        return answer;
    }
    const Ref<MemoryTable> table = tableToRead(result);
    if (!table) throw UserError("The query returns a table on disk.", "Select its rows: select * from t.");
    for (const ColumnSchema& column : table->columns())
        answer.columns.push_back(describeColumn(column.name, column.type));
    const int64_t last = std::min(end, table->rowCount());
    if ((last - begin) * table->columnCount() > kMaxCells)
        throw UserError(fmt::format("The result has {} rows of {} columns, too many for an answer in JSON.",
                                    table->rowCount(), table->columnCount()),
                        "Ask for fewer by limit, or use the native protocol.");
    if (begin < last) {
        answer.dataset = jsonRows(*table, begin, last);
        answer.rows = last - begin;
    }
    answer.count = table->rowCount();
    return answer;
}

Answer answerOf(const Json& rows, Json columns) {
    Answer answer;
    answer.columns = std::move(columns);
    answer.dataset = rows.dump(-1, ' ', false, Json::error_handler_t::replace);
    answer.rows = answer.count = static_cast<int64_t>(rows.size());
    return answer;
}

bool isAggregate(std::string_view name) {
    const BuiltinFunction* function = FunctionRegistry::instance().find(name);
    return function && function->declaration().kind == FunctionKind::Aggregate;
}

class LineQuery {
public:
    LineQuery(const LineService& service, Request& request, ScriptSession& session)
        : service_(service),
          request_(request),
          session_(session),
          context_(service.services, request),
          databases_(databasesOf(context_)) {}

    Answer run(const std::string& query, int64_t begin, int64_t end) {
        const std::vector<std::string> words = wordsOf(query);
        if (isWord(words, 0, "show") && isWord(words, 1, "tables")) return tables();
        if (isWord(words, 0, "show") && isWord(words, 1, "columns") && words.size() == 4) return columns(words[3]);
        // Indexes of columns are not needed here.
        if (isWord(words, 0, "alter") && isWord(words, 1, "table") &&
            std::any_of(words.begin(), words.end(), [](const auto& word) { return isWord({word}, 0, "index"); }))
            return {};
        if (!isWord(words, 0, "select") && !isWord(words, 0, "exec") && !isWord(words, 0, "with"))
            throw UserError("Only select, SHOW TABLES and SHOW COLUMNS FROM are answered here.",
                            "Other statements are for the native protocol and the JSON interface.");
        return answerOf(select(query, words), begin, end);
    }

    // Returns the result of a select. Throws UserError for other statements.
    Value select(const std::string& query) {
        const std::vector<std::string> words = wordsOf(query);
        if (!isWord(words, 0, "select") && !isWord(words, 0, "with"))
            throw UserError("Only select is answered in this form.", "SHOW is answered in JSON.");
        return select(query, words);
    }

private:
    Value select(const std::string& query, const std::vector<std::string>& words) {
        request_.principal().requireScripts();
        return session_.runReading(request_, translateQuery(query, bindTables(words)));
    }

    std::vector<std::string> tableNames() {
        std::vector<std::string> names;
        Catalog& catalog = databases_.catalog();
        if (!catalog.findDatabase(service_.options.database)) return names;
        for (const std::string& name : catalog.tableNames(service_.options.database)) {
            const auto entry = catalog.findTable(service_.options.database, name);
            if (entry && maySee(context_, *entry)) names.push_back(name);
        }
        return names;
    }

    Answer tables() {
        Json rows = Json::array();
        for (const std::string& name : tableNames()) rows.push_back(Json::array({name}));
        return answerOf(rows, {describeColumn("table_name", Type::String)});
    }

    Answer columns(const std::string& table) {
        const std::vector<std::string> names = tableNames();
        if (std::find(names.begin(), names.end(), table) == names.end())
            throw UserError(fmt::format("There is no table {} in {}.", table, service_.options.database));
        Json described = Json::array(), rows = Json::array();
        for (const auto& [name, type] : {std::pair("column", Type::String), std::pair("type", Type::String),
                                         std::pair("indexed", Type::Bool), std::pair("indexBlockCapacity", Type::Int),
                                         std::pair("symbolCached", Type::Bool), std::pair("symbolCapacity", Type::Int),
                                         std::pair("designated", Type::Bool), std::pair("upsertKey", Type::Bool)})
            described.push_back(describeColumn(name, type));
        const TableEntry entry = databases_.catalog().table(service_.options.database, table);
        for (const ColumnSchema& column : entry.schema) {
            const bool isTime = !entry.partitionColumns.empty() && entry.partitionColumns[0] == column.name;
            rows.push_back(Json::array({column.name, jsonTypeName(column.type), false, 0, false, 0, isTime, false}));
        }
        return answerOf(rows, std::move(described));
    }

    // The tables that the query may name become variables of its session, whose names our language can read.
    DialectNames bindTables(const std::vector<std::string>& words) {
        DialectNames bound{.isAggregate = isAggregate};
        for (const std::string& name : tableNames()) {
            if (std::find(words.begin(), words.end(), name) == words.end()) continue;
            std::string variable = name;
            if (!mayNameVariable(name)) variable = fmt::format("lineTable_{}", bound.variables.size() + 1);
            session_.setVariable(variable, openTable(context_, service_.options.database, name));
            bound.variables[name] = variable;
            const TableEntry entry = databases_.catalog().table(service_.options.database, name);
            if (!entry.partitionColumns.empty()) bound.timeColumns[variable] = entry.partitionColumns[0];
            for (const ColumnSchema& column : entry.schema) {
                if (isTemporal(column.type)) bound.temporalColumns.insert(column.name);
            }
        }
        return bound;
    }

    // Returns whether a query may name a table so: the name is no keyword, type or constant, and no object that all
    // sessions share.
    bool mayNameVariable(const std::string& name) const {
        const bool isPlain =
            std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
            std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        auto* shared = context_.service<SharedObjects>();
        Value ignored;
        return isPlain && !isLanguageWord(name) && !FunctionRegistry::instance().find(name) &&
               !(shared && shared->find(name, ignored));
    }

    const LineService& service_;
    Request& request_;
    ScriptSession& session_;
    Context context_;
    DatabaseService& databases_;
};

int64_t numberOf(const std::string& string, int64_t otherwise) {
    if (string.empty()) return otherwise;
    if (string.size() > 18 || string.find_first_not_of("0123456789") != std::string::npos)
        throw UserError("limit must be a number of rows, or the first row and the row behind the last: limit=0,100.");
    return std::strtoll(string.c_str(), nullptr, 10);
}

std::string stringOf(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse jsonAnswer(int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.contentType = "application/json; charset=utf-8";
    response.body = std::move(body);
    return response;
}

}  // namespace

HttpResponse queryOverHttp(const LineService& service, Request& request, ScriptSession& session,
                           const HttpRequest& http) {
    const UrlQuery parameters(http.target);
    const std::string query = std::string(trim(parameters.value("query"), kBlanksAndSemicolons));
    const auto began = std::chrono::steady_clock::now();
    try {
        if (query.empty()) throw UserError("The parameter query is missing: /exec?query=select…");
        const std::string limit = parameters.value("limit");
        const size_t comma = limit.find(',');
        const int64_t first = comma == std::string::npos ? 0 : numberOf(limit.substr(0, comma), 0);
        const int64_t last =
            numberOf(comma == std::string::npos ? limit : limit.substr(comma + 1), std::numeric_limits<int64_t>::max());
        if (const std::optional<TableBody> form = acceptedBody(http.header("accept"))) {
            HttpResponse response;
            response.contentType = mediaTypeOf(*form);
            response.body =
                tableBody(*form, LineQuery(service, request, session).select(query), first, std::max(first, last));
            return response;
        }
        Answer answer = LineQuery(service, request, session).run(query, first, std::max(first, last));
        const int64_t count = parameters.value("count") == "false" ? answer.rows : answer.count;
        std::string body = fmt::format(R"({{"query":{},"columns":{},"timestamp":-1,"dataset":)", stringOf(query),
                                       stringOf(answer.columns));
        body += answer.dataset;
        body += fmt::format(R"(,"count":{})", count);
        if (parameters.value("timings") == "true") {
            const auto nanos =
                std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - began).count();
            body += fmt::format(R"(,"timings":{{"authentication":0,"compiler":0,"execute":{},"count":0}})", nanos);
        }
        return jsonAnswer(200, body + '}');
    } catch (const Error& error) {
        const std::string string =
            error.hint().empty() ? std::string(error.what()) : std::string(error.what()) + ' ' + error.hint();
        if (string.find("<NoPrivilege>") != std::string::npos) audit({.operation = "refused", .detail = string});
        return jsonAnswer(400, stringOf({{"query", query}, {"error", string}, {"position", 0}}));
    }
}

}  // namespace pelorus
