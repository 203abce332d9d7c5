// pelorus format: scripts in the house layout.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/console/script_file.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/io/file.h"
#include "devtools/formatter/format_script.h"
#include "interpreter/parser/parser.h"

namespace pelorus {

namespace {

struct FormatArguments {
    FormatOptions options;
    bool check = false;
    std::vector<std::string> files;
};

FormatArguments parse(const CommandArguments& arguments) {
    FormatArguments parsed;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& a = arguments[i];
        if (a == "--check") {
            parsed.check = true;
        } else if (a == "--tabs") {
            parsed.options.useTabs = true;
        } else if (a == "--indent" && i + 1 < arguments.size()) {
            const std::string& width = arguments[++i];
            const bool isWidth = width.find_first_not_of("0123456789") == std::string::npos && width.size() <= 2;
            parsed.options.indentWidth = isWidth ? std::atoi(width.c_str()) : 0;
            if (parsed.options.indentWidth < 1 || parsed.options.indentWidth > 16) {
                throw UserError("--indent must be an integer between 1 and 16, but it is " + width + ".");
            }
        } else if (a.starts_with("--")) {
            throw UserError("pelorus format does not understand " + a + ".",
                            "Use pelorus format [--check] [--indent N] [--tabs] [FILE…].");
        } else {
            parsed.files.push_back(a);
        }
    }
    return parsed;
}

// Formats one file; returns whether it was formatted before.
bool formatFile(const std::string& path, const FormatArguments& arguments) {
    const std::string text = readScriptFile(path);
    const std::string result = formatScript(text, arguments.options);
    if (result == text) return true;
    if (arguments.check) {
        std::cout << path << " is not formatted.\n";
        return false;
    }
    // Replaces the target of a symbolic link, atomically.
    const std::filesystem::path file = std::filesystem::canonical(path);
    const auto permissions = std::filesystem::status(file).permissions();
    replaceFile(FileSystem::posix(), file.string(), result);
    std::filesystem::permissions(file, permissions);
    std::cout << path << " was formatted.\n";
    return false;
}

}  // namespace

int formatCommand(const CommandArguments& given) {
    const FormatArguments arguments = parse(given);
    registerAllFunctions();
    if (arguments.files.empty()) {
        const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
        const std::string result = formatScript(text, arguments.options);
        if (arguments.check) return result == text ? 0 : 1;
        std::fwrite(result.data(), 1, result.size(), stdout);
        return 0;
    }
    int status = 0;
    for (const std::string& path : arguments.files) {
        try {
            const bool wasFormatted = formatFile(path, arguments);
            if (arguments.check && !wasFormatted) status = 1;
        } catch (const SyntaxError& e) {
            std::cerr << path << ":" << e.position.line << ":" << e.position.column << ": " << e.what() << '\n';
            status = 1;
        }
    }
    return status;
}

}  // namespace pelorus
