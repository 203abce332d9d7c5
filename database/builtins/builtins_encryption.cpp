// Functions of the master keys of encrypted tables: enable, rotate, list.
#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/status_table.h"
#include "runtime/function/file_access.h"
#include "storage/encryption/encryption_keys.h"

namespace pelorus {

namespace {

std::string keyFileFrom(Arguments arguments) {
    if (!arguments[0].isString() || arguments[0].isNull())
        throw UserError(0, "masterKeyPath must be the path of a file.");
    return std::string(arguments[0].string());
}

Value enableKernel(Context& context, Arguments arguments) {
    databasesOf(context).encryptionKeys().enable(userFiles(context), keyFileFrom(arguments));
    return Value::ofBool(true);
}

Value rotateKernel(Context& context, Arguments arguments) {
    databasesOf(context).encryptionKeys().rotate(userFiles(context), keyFileFrom(arguments));
    return Value::ofBool(true);
}

Value currentVersionKernel(Context& context, Arguments) {
    const std::optional<uint32_t> version = databasesOf(context).encryptionKeys().version();
    return version ? Value::ofLong(*version) : Value::nullOf(Type::Long);
}

Value listKernel(Context& context, Arguments) {
    DatabaseService& service = databasesOf(context);
    const std::vector<TableEntry> tables = service.catalog().allTables();
    std::vector<std::vector<Value>> rows;
    for (const EncryptionKeys::TableKey& key : service.encryptionKeys().list()) {
        const auto table =
            std::find_if(tables.begin(), tables.end(), [&](const TableEntry& entry) { return entry.id == key.table; });
        if (table == tables.end()) continue;
        std::string mode(cipherModeName(key.mode));
        std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char c) { return std::toupper(c); });
        rows.push_back(
            {Value::ofString(table->database + "/" + table->name), Value::ofString(mode), Value::ofLong(key.version)});
    }
    return statusTable({{"tableName", Type::String}, {"mode", Type::String}, {"version", Type::Long}}, rows);
}

}  // namespace

void registerEncryption(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Admin, Effect::Writes);
    registry.add("enableTDEKey(masterKeyPath)", enableKernel,
                 {.summary = "Sets the first master key, with which keys of encrypted tables are wrapped; true.",
                  .parameters = "masterKeyPath: a file of 64 hexadecimal digits, which is copied to the folder of the "
                                "setting TDEKeyDir",
                  .errors = "The caller is not admin, the setting is missing, the file holds no key, or another key is "
                            "in use.",
                  .example = "enableTDEKey(\"/data/master.key\")"});
    registry.add("rotateTDEKey(masterKeyPath)", rotateKernel,
                 {.summary = "Wraps the keys of all encrypted tables by another master key; their rows stay as they "
                             "are; true.",
                  .parameters = "masterKeyPath: as of enableTDEKey",
                  .errors = "As of enableTDEKey, or no key is in use yet.",
                  .example = "rotateTDEKey(\"/data/master2.key\")"});
    registry.add("getCurrentTDEKeyVersion()", currentVersionKernel,
                 {.summary = "A number that identifies the master key in use, as LONG.",
                  .nulls = "NULL while there is none.",
                  .example = "getCurrentTDEKeyVersion()"},
                 kReads);
    registry.add("getClusterTDEKeys()", listKernel,
                 {.summary = "The encrypted tables, how they are encrypted, and the version of the master key that "
                             "wraps the key of each: a table of tableName, mode and version.",
                  .example = "getClusterTDEKeys()"},
                 kReads);
}

}  // namespace pelorus
