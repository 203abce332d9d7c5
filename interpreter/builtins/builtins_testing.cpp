// test(scriptFile): the test cases of a file of scripts, or of the files in a folder.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/syntax_error.h"
#include "interpreter/session/session.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"

namespace pelorus {
namespace {

enum class Ends { Well, WithError, WithSyntaxError };

struct TestCase {
    std::string name;
    Ends ends = Ends::Well;
    std::string script;
};

struct TestFile {
    std::string setUp;  // the code before the first case
    std::vector<TestCase> cases;
};

// The text without blanks, as far as the comment that may end it.
std::string withoutBlanks(std::string_view line) {
    std::string text;
    for (char c : line.substr(0, line.find("//"))) {
        if (c != ' ' && c != '\t' && c != '\r') text += c;
    }
    return text;
}

// @testing:case="name", exception=1
TestCase declaredBy(std::string_view line) {
    TestCase declared;
    const size_t begin = line.find('"'), end = line.find('"', begin + 1);
    if (end != std::string_view::npos) declared.name = line.substr(begin + 1, end - begin - 1);
    const std::string settings = withoutBlanks(line);
    if (settings.find(",exception=1") != std::string::npos) declared.ends = Ends::WithError;
    if (settings.find(",syntaxError=1") != std::string::npos) declared.ends = Ends::WithSyntaxError;
    return declared;
}

TestFile testFile(std::string_view text) {
    TestFile file;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        if (withoutBlanks(line).starts_with("@testing:case=")) file.cases.push_back(declaredBy(line));
        (file.cases.empty() ? file.setUp : file.cases.back().script) += line;
        text.remove_prefix(end);
    }
    return file;
}

// Returns the reason why a case failed; empty when it ended as it should.
std::string failureOf(const TestCase& test, Session& session, Context& context) {
    try {
        evaluate(test.script, session, context);
    } catch (const SyntaxError& error) {
        return test.ends == Ends::Well ? error.what() : "";
    } catch (const UserError& error) {
        return test.ends == Ends::WithError ? "" : error.what();
    }
    return test.ends == Ends::Well ? "" : "an error was expected, and there was none";
}

class TestRun {
public:
    TestRun(Context& context, UserFiles& files) : context_(context), files_(files) {}

    // Each file runs in a new session: what its cases leave behind does not reach the caller's.
    void runFile(const std::string& path) {
        const TestFile file = testFile(readWholeFile(files_, path));
        Session session(*context_.services);
        std::string unfit;
        try {
            evaluate(file.setUp, session, context_);
        } catch (const UserError& error) {
            unfit = error.what();
        }
        for (const TestCase& test : file.cases) {
            ++count_;
            say(test.name);
            const std::string failure = unfit.empty() ? failureOf(test, session, context_) : unfit;
            if (!failure.empty()) failures_.push_back(fmt::format("{}: {}: {}", path, test.name, failure));
        }
        if (file.cases.empty() && !unfit.empty()) throw UserError(0, fmt::format("{}: {}", path, unfit));
    }

    std::string report() const {
        std::string text = fmt::format("#Fail/#Total Testing Cases: {}/{}\n", failures_.size(), count_);
        for (const std::string& failure : failures_) text += failure + "\n";
        return text;
    }

    void say(const std::string& line) const {
        if (context_.request->print) context_.request->print(line);
    }

private:
    Context& context_;
    UserFiles& files_;
    int64_t count_ = 0;
    std::vector<std::string> failures_;
};

std::vector<std::string> scriptsIn(UserFiles& files, const std::string& path) {
    if (!files.isFolder(path)) return {path};
    std::vector<std::string> scripts;
    for (const std::string& name : files.list(path)) {
        const std::string script = joinPath(path, name);
        const std::optional<FileFacts> facts = files.facts(script);
        if (facts && facts->isFile) scripts.push_back(script);
    }
    return scripts;
}

// test(scriptFile, [outputFile], [testMemLeaking=false])
Value testKernel(Context& context, Arguments arguments) {
    if (!context.principal().administers()) context.principal().require(Right::ExecuteTest);
    if (!arguments[0].isString())
        throw UserError(0, "scriptFile must be the path of a script or of a folder of scripts.");
    const bool toFile = !isOmitted(arguments[1]) && !arguments[1].isVoid();
    if (toFile && !arguments[1].isString()) throw UserError(1, "outputFile must be the path of a file.");
    UserFiles& files = userFiles(context);
    TestRun run(context, files);
    const std::string scripts = files.resolve(std::string(arguments[0].string()));
    const std::string output = toFile ? files.resolve(std::string(arguments[1].string())) : "";
    for (const std::string& path : scriptsIn(files, scripts)) run.runFile(path);
    std::string report = run.report();
    if (toFile) {
        auto file = files.create(output);
        file->append(report);
        file->sync();
    } else {
        report.pop_back();  // the end of the line, which is the message
        run.say(report);
    }
    return Value();
}

}  // namespace

void registerTestingBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "test(scriptFile, [outputFile], [testMemLeaking=false])", testKernel,
        {.summary = "Runs the cases of a script, each from a line `@testing:case=\"name\"` to the next, and says "
                    "how many failed. A case fails with an assert or an error; with `, exception=1` or "
                    "`, syntaxError=1` after its name, without one.",
         .parameters = "scriptFile: a script, or a folder whose files are run without those of folders in it\n"
                       "outputFile: where the report goes instead of being printed\n"
                       "testMemLeaking: accepted, and without effect",
         .errors = "A file can't be read or written.",
         .example = "test(\"/data/tests\")"});
}

}  // namespace pelorus
