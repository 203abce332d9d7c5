// A tool or a prompt that users made for language models, as the metadata store keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/function.h"

namespace pelorus {

// Limits of one entry, and of all of a kind.
struct McpEntryBounds {
    static constexpr size_t kMaxEntries = 500, kMaxNameBytes = 64, kMaxTitleBytes = 200, kMaxDescriptionBytes = 16'384,
                            kMaxMessageBytes = 65'536, kMaxFunctionBytes = size_t{256} << 10, kMaxArguments = 32;
};

// One version of an entry. A plain value.
struct McpEntry {
    enum class Kind : uint8_t { Tool, Prompt };
    struct Argument {
        std::string name;
        std::string type;  // as its author wrote it, "number" or "DOUBLE[]"; empty: any value
        bool isOptional = false;
    };

    Kind kind = Kind::Tool;
    std::string name;
    std::string owner;
    std::string title;
    std::string description;
    int64_t modifiedMillis = 0;   // local time
    int64_t publishedMillis = 0;  // 0: this version is a draft
    std::string text;             // the source of a tool's function, the message of a prompt
    std::vector<Argument> arguments = {};
    std::string function = {};  // a tool's function, encoded

    // Returns the stored form.
    std::string encode() const;
    // Parses the stored form. Throws UserError for bytes of another form.
    static McpEntry decode(Kind kind, std::string name, std::string_view stored);
    // Returns "tools/NAME" or "prompts/NAME", the object of rights.
    std::string path() const;
};

// Returns "tool" or "prompt".
const char* wordOf(McpEntry::Kind kind);

// Encodes the function of a tool. Throws UserError for one that cannot be kept: built-in, partially applied, with
// captured values, or too large.
std::string encodeToolFunction(const Function& function);
// Returns the function of a tool. Throws UserError when this version cannot read it.
Value decodeToolFunction(const McpEntry& tool);

}  // namespace pelorus
