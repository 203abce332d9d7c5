#include "sql/bind/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/parquet/parquet_table.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

std::string lowerCased(std::string_view string) {
    std::string lower(string);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

std::string_view stringOf(const Node& node) {
    return static_cast<const Constant&>(node).value.string();
}

struct FileKind {
    std::string_view ending;
    const char* delimiter;  // nullptr: detected by loadText
};

// Returns nullptr for other extensions.
const FileKind* kindOf(std::string_view path) {
    static constexpr std::array<FileKind, 6> kKinds = {{{".csv", nullptr},
                                                        {".txt", nullptr},
                                                        {".tsv", "\t"},
                                                        {".csv.gz", nullptr},
                                                        {".txt.gz", nullptr},
                                                        {".tsv.gz", "\t"}}};
    const std::string lower = lowerCased(path);
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const FileKind& candidate) { return lower.ends_with(candidate.ending); });
    return kind == kKinds.end() ? nullptr : &*kind;
}

constexpr std::string_view kParquetEnding = ".parquet";

bool isParquet(std::string_view path) {
    return lowerCased(path).ends_with(kParquetEnding) && !lowerCased(path).starts_with("dfs://");
}

[[noreturn]] void refuse(const Node& node) {
    const std::string path(stringOf(node));
    const std::string what = fmt::format("A query cannot read from {}.", toSource(node));
    if (lowerCased(path).starts_with("dfs://")) {
        // The last part may be the table's name.
        const size_t slash = path.rfind('/');
        const bool hasTable = slash != std::string::npos && slash > 6;
        throw UserError(
            node.position, what,
            fmt::format("Write loadTable({}, {}).", toLiteral(Value::ofString(hasTable ? path.substr(0, slash) : path)),
                        hasTable ? toLiteral(Value::ofString(path.substr(slash + 1))) : "\"t\""));
    }
    throw UserError(node.position, what,
                    "Write the name of the table without quotes: select … from t. A string names a file that ends in "
                    ".parquet, .csv, .tsv or .txt, or one of the last three and .gz. For other files "
                    "write loadText(\"name\"), for a table on disk loadTable(\"dfs://database\", \"t\").");
}

Value emptyTable(std::vector<Value>& arguments, Context& context) {
    arguments.resize(std::min<size_t>(arguments.size(), 2));
    const Value schema = FunctionRegistry::instance().get("extractTextSchema").call(context, arguments);
    const Ref<MemoryTable> rows = tableToRead(schema);
    TableSchema columns;
    for (int64_t i = 0; i < rows->rowCount(); ++i) {
        Type type = Type::String;
        typeByName(rows->column(1).at(i).string(), type);
        columns.push_back({std::string(rows->column(0).at(i).string()), type, 0, ""});
    }
    return Value::of(Ref<Table>(MemoryTable::empty(columns)));
}

}  // namespace

bool isFileSource(const Node& node) {
    return node.kind == NodeKind::Constant && static_cast<const Constant&>(node).value.isString();
}

namespace {

// Returns the arguments of a function that reads the text file that a string names.
std::vector<Value> textArguments(const Node& node) {
    const FileKind* kind = kindOf(stringOf(node));
    if (!kind) refuse(node);
    std::vector<Value> arguments{Value::ofString(stringOf(node))};
    if (kind->delimiter) arguments.push_back(Value::ofString(kind->delimiter));
    return arguments;
}

Value parquetSource(const Node& node, Context& context) {
    const Ref<ParquetTable> table = ParquetTable::open(context, std::string(stringOf(node)));
    table->name = nameOfFileSource(node);
    return Value::of(Ref<Table>(table));
}

}  // namespace

Value readFileSource(const Node& node, Context& context) {
    // Its rows stay in the file: the query reads what it needs.
    if (isParquet(stringOf(node))) return parquetSource(node, context);
    std::vector<Value> arguments = textArguments(node);
    return FunctionRegistry::instance().get("ploadText").call(context, arguments);
}

Value fileColumns(const Node& node, Context& context) {
    if (isParquet(stringOf(node))) return parquetSource(node, context);
    std::vector<Value> arguments = textArguments(node);
    return emptyTable(arguments, context);
}

std::string nameOfFileSource(const Node& node) {
    std::string_view path = stringOf(node);
    if (isParquet(path)) {
        path.remove_suffix(kParquetEnding.size());
    } else if (const FileKind* kind = kindOf(path)) {
        path.remove_suffix(kind->ending.size());
    }
    if (const size_t slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
    const auto isNameByte = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const bool isName = !path.empty() && std::isalpha(static_cast<unsigned char>(path[0])) &&
                        std::all_of(path.begin(), path.end(), isNameByte);
    return isName ? std::string(path) : "";
}

}  // namespace pelorus
