#include "postgres/catalog/sequence_names.h"

#include <cctype>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/sql_error.h"
#include "postgres/types/quoted_name.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

std::vector<std::string> namesInText(std::string_view text) {
    std::vector<std::string> names;
    const auto refuse = [&] { throw SqlError("42602", fmt::format("invalid name syntax: \"{}\"", text)); };
    size_t at = 0;
    for (;;) {
        std::string name;
        if (at < text.size() && text[at] == '"') {
            for (++at;; ++at) {
                if (at == text.size()) refuse();
                if (text[at] == '"' && (at + 1 == text.size() || text[at + 1] != '"')) break;
                if (text[at] == '"') ++at;
                name += text[at];
            }
            ++at;
        } else {
            while (at < text.size() && text[at] != '.')
                name += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
        }
        if (name.empty()) refuse();
        names.push_back(std::move(name));
        if (at == text.size()) return names;
        if (text[at++] != '.') refuse();
    }
}

std::optional<SequenceEntry> sequenceIn(const std::string& schema, const std::string& name, Context& context) {
    const std::optional<std::string> found = findSchema(schema, context);
    auto* service = context.service<DatabaseService>();
    if (!found || service == nullptr) return {};
    return service->sequences().find(databaseOfSchema(*found), name);
}

SequenceEntry findSequence(std::string_view text, const std::vector<std::string>& searchPath, Context& context) {
    const std::vector<std::string> names = namesInText(text);
    if (names.size() > 1) {
        if (auto found = sequenceIn(names[names.size() - 2], names.back(), context)) return std::move(*found);
    } else {
        for (const std::string& schema : searchPath)
            if (auto found = sequenceIn(schema, names[0], context)) return std::move(*found);
    }
    throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", text));
}

std::string sequenceText(const SequenceEntry& sequence) {
    return quotedName(sequence.database.substr(std::string_view("dfs://").size())) + "." + quotedName(sequence.name);
}

std::vector<ShownSequence> shownSequences(Context& context) {
    std::vector<ShownSequence> shown;
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) return shown;
    for (const std::string& schema : visibleSchemas(context))
        for (SequenceEntry& entry : service->sequences().all(databaseOfSchema(schema)))
            shown.push_back({schema, std::move(entry)});
    return shown;
}

}  // namespace pelorus::postgres
