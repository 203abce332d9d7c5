// saveModel and loadModel: models in files.
//
// A file is the magic "PLRSMOD" and a version byte, the XXH64 of the rest as 8 bytes, and the model in the object
// format of docs/formats/wire.md: a dictionary, whose functions are stored by their names.
#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

#include "common/error.h"
#include "runtime/function/file_access.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// In files: append, never renumber.
constexpr std::string_view kMagic = "PLRSMOD\x01";
constexpr size_t kHeaderBytes = 16;

bool isModel(const Value& v) {
    return v.isDictionary() && v.dictionary().keyType() == Type::String &&
           v.dictionary().contains(Value::ofString("modelName"));
}

// saveModel(model, location)
Value saveModelKernel(Context& context, Arguments a) {
    if (!isModel(a[0])) refuseArgument(0, "model", "a model: a dictionary with the member modelName", a[0]);
    const std::string location = stringArgument(a, 1, "location");
    if (location.empty()) refuseArgument(1, "location", "the name of a file", a[1]);
    std::string bytes;
    encodeValue(a[0], Peer::Client, bytes);
    const uint64_t check = XXH64(bytes.data(), bytes.size(), 0);
    std::string header(kMagic);
    header.append(reinterpret_cast<const char*>(&check), sizeof check);
    UserFiles& files = userFiles(context);
    const std::string path = files.resolve(location), unfinished = path + ".unfinished";
    // The file is written under another name first, so that readers see the old file or the new one.
    const std::unique_ptr<File> file = files.create(unfinished);
    try {
        file->append(header);
        file->append(bytes);
        file->sync();
        files.rename(unfinished, path);
    } catch (...) {
        files.remove(unfinished);
        throw;
    }
    return Value::ofBool(true);
}

// loadModel(file)
Value loadModelKernel(Context& context, Arguments a) {
    const std::string name = stringArgument(a, 0, "file");
    if (name.empty()) refuseArgument(0, "file", "the name of a file", a[0]);
    UserFiles& files = userFiles(context);
    const std::unique_ptr<File> file = files.openForRead(files.resolve(name));
    const auto size = static_cast<int64_t>(file->size());
    if (size > maxRequestBytes()) throw UserError(0, fmt::format("{} is larger than a model may be.", name));
    std::string bytes(static_cast<size_t>(size), '\0');
    if (file->readAt(0, bytes.data(), bytes.size()) != bytes.size())
        throw UserError(0, fmt::format("{} changed while it was read.", name));
    const std::string_view all = bytes;
    if (!all.starts_with(kMagic.substr(0, 7)))
        throw UserError(0, fmt::format("{} holds no model.", name), "Give a file that saveModel wrote.");
    if (all.size() < kHeaderBytes || all[7] != kMagic[7])
        throw UserError(0, fmt::format("{} has a model of another version, or is cut off.", name));
    uint64_t check = 0;
    std::memcpy(&check, all.data() + 8, sizeof check);
    const std::string_view body = all.substr(kHeaderBytes);
    if (XXH64(body.data(), body.size(), 0) != check)
        throw UserError(0, fmt::format("{} is damaged: its checksum differs.", name), "Save the model again.");
    StringSource source(body);
    Value model = decodeValue(source, Peer::Client);
    if (!isModel(model) || !source.atEnd()) throw UserError(0, fmt::format("{} holds no model.", name));
    return model;
}

}  // namespace

void registerSavedModels(FunctionRegistry& registry) {
    registry.add("saveModel(model, location)", saveModelKernel,
                 {.summary = "Saves a model in a file; returns true.",
                  .parameters = "model: a dictionary with the member modelName, as the functions that fit give them\n"
                                "location: the name of the file, which is replaced",
                  .errors = "model is none, or holds a function of the script; the file cannot be written.",
                  .complexity = "O(bytes)",
                  .example = "saveModel(lasso(table(1 2 3 as x, 2 4 6 as y), `y, `x), \"/data/model.bin\")"});
    registry.add("loadModel(file)", loadModelKernel,
                 {.summary = "The model that saveModel wrote into a file, as a dictionary.",
                  .parameters = "file: the name of the file",
                  .errors = "The file is not there, holds no model, or is damaged.",
                  .complexity = "O(bytes)",
                  .example = "predict(loadModel(\"/data/model.bin\"), table(4 5 as x))"});
}

}  // namespace pelorus
