#include "server/line_query/append_over_http.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/io/gunzip.h"
#include "database/service/append_together.h"
#include "database/service/database_handle.h"
#include "database/service/database_service.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/append/append_rows.h"
#include "runtime/append/rows_outside_scheme.h"
#include "runtime/function/principal.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/table_access.h"
#include "server/line_protocol/line_http.h"
#include "server/line_protocol/url_query.h"
#include "server/line_query/uploaded_rows.h"

namespace pelorus {
namespace {

Value findTable(Context& context, const std::string& database, const std::string& name, const LineOptions& options) {
    if (name.empty()) throw UserError("The parameter table is missing: /append?table=trades.");
    if (!database.empty()) return openTable(context, database, name);
    const Catalog& catalog = databasesOf(context).catalog();
    if (catalog.findDatabase(options.database) && catalog.findTable(options.database, name))
        return openTable(context, options.database, name);
    Value shared;
    auto* objects = context.service<SharedObjects>();
    if (!objects || !objects->find(name, shared, context.principal()) || !shared.isTable())
        throw UserError(
            fmt::format("There is no table {} in {}, and none that sessions share.", name, options.database),
            "Name the database of the table: /append?database=dfs://db&table=t.");
    return shared;
}

// Stores all rows of a partitioned table, or none: those without a partition are an error, since a program that sends
// them reads no notice.
int64_t appendWhole(Context& context, PartitionedTable& table, const Ref<MemoryTable>& rows) {
    AuditedData change(context, "APPEND", table, "", AuditedChange::Durability::Unsynced);
    try {
        appendTogether({{Ref<PartitionedTable>(&table), rows}});
    } catch (const RowsOutsideScheme& outside) {
        throw UserError(fmt::format("{} of {} rows have no partition in {}, the first is {}.", outside.count(),
                                    rows->rowCount(), table.name, outside.first()),
                        "Add their partitions, or leave the rows out.");
    }
    if (change.isAudited()) change.done(fmt::format("appendedRows={}", rows->rowCount()));
    return rows->rowCount();
}

// Returns an answer for a body that is too long or damaged; else replaces a packed body by the plain one.
std::optional<HttpResponse> unpack(HttpRequest& http) {
    const std::string_view encoding = http.header("content-encoding");
    if (encoding.empty() || encoding == "identity") return std::nullopt;
    if (encoding != "gzip") return lineProblem(400, "invalid", "The Content-Encoding must be gzip or none.");
    std::string plain;
    switch (gunzip(http.body, maxRequestBytes(), plain)) {
        case GunzipResult::TooLong:
            return lineProblem(
                413, "request too large",
                fmt::format("The rows are longer than the {} bytes that a request may have.", maxRequestBytes()));
        case GunzipResult::Damaged:
            return lineProblem(400, "invalid", "The body is no gzip, or it is damaged.");
        case GunzipResult::Done:
            break;
    }
    http.body = std::move(plain);
    return std::nullopt;
}

}  // namespace

HttpResponse appendOverHttp(const LineService& service, Request& request, HttpRequest& http) {
    try {
        const std::optional<TableBody> form = formOf(http.header("content-type"));
        if (!form)
            return lineProblem(415, "unsupported media type",
                               "The Content-Type must be application/vnd.apache.arrow.stream, "
                               "application/vnd.apache.parquet or text/csv.");
        if (std::optional<HttpResponse> problem = unpack(http)) return std::move(*problem);
        Context context(service.services, request);
        const UrlQuery parameters(http.target);
        Value target = findTable(context, parameters.value("database"), parameters.value("table"), service.options);
        PartitionedTable* stored = target.table().asPartitioned();
        // Who may not insert learns that before the rows are read, and nothing of the columns.
        if (stored) {
            stored->require(context.principal(), Right::Insert);
        } else {
            requireAccess(context, target, Right::Insert);
        }
        const Ref<MemoryTable> rows = uploadedRows(context, *form, std::move(http.body), target.table().columns());
        const int64_t written =
            stored ? appendWhole(context, *stored, rows) : appendToTable(context, target, *rows).written;
        HttpResponse response;
        response.contentType = "application/json";
        response.body = fmt::format("{{\"rows\":{}}}", written);
        return response;
    } catch (const UserError& error) {
        const std::string why =
            error.hint().empty() ? std::string(error.what()) : fmt::format("{} {}", error.what(), error.hint());
        if (why.find("<NoPrivilege>") != std::string::npos) audit({.operation = "refused", .detail = why});
        return lineProblem(400, "invalid", why);
    }
}

}  // namespace pelorus
