#include "interpreter/codegen/compiled_regions.h"

#include <atomic>
#include <memory>

#include "interpreter/codegen/code_generator.h"
#include "interpreter/codegen/region_cache.h"
#include "runtime/kernel/block/block_compiler.h"

namespace pelorus {

namespace {

// Rows after which compiling pays: loading the code generator and compiling take some 40 ms of a core, which the first
// query of a process wants for decoding; compiled code saves 2 to 7 ns a row.
constexpr int64_t kHotRows = 12'000'000;

// The minimum number of rows for which the code saves more than finding it costs.
constexpr int64_t kLeastRows = 256;

// The one function of the library; nullptr when it refuses the program.
using CompileFunction = CompiledBlock (*)(const BlockProgram* program, ArgumentTest isCodeArgument, int64_t* codeBytes);

struct Code {
    explicit Code(CompiledBlock block) : block(block) {}
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() { releaseCode(reinterpret_cast<const void*>(block)); }
    const CompiledBlock block;
};

std::atomic<int64_t> compiledRegions{0};

// Lives as long as the process, since workers may still compile while it ends.
RegionCache& cache() {
    static auto* instance = new RegionCache(int64_t{64} << 20);
    return *instance;
}

void compileRegion(const std::string& key, const BlockProgram& program) {
    static const auto compile = reinterpret_cast<CompileFunction>(generatorFunction("pelorusCompileRegion"));
    int64_t bytes = 0;
    const CompiledBlock block = compile ? compile(&program, isCodeArgument, &bytes) : nullptr;
    if (!block) return;
    const auto code = std::make_shared<Code>(block);
    cache().put(key, CompiledBlockRef(code, &code->block), bytes);
    compiledRegions.fetch_add(1, std::memory_order_relaxed);
}

CompiledBlockRef codeFor(const BlockProgram& program, int64_t count) {
    const bool always = jitMode() == JitMode::Always;
    if (!always && count < kLeastRows) return nullptr;
    const std::string key = regionKey(program);
    if (key.empty()) return nullptr;
    bool mustCompile = false;
    CompiledBlockRef code = cache().find(key, count, always ? 0 : kHotRows, mustCompile);
    if (!mustCompile) return code;
    if (!always) {
        auto copy = std::make_shared<BlockProgram>(program);
        compileInBackground([key, copy] { compileRegion(key, *copy); });
        return nullptr;
    }
    compileRegion(key, program);
    return cache().find(key, 0, 0, mustCompile);
}

}  // namespace

std::string regionKey(const BlockProgram& program) {
    if (program.steps().empty() || program.steps().back().out != program.result()) return {};
    // Constants that are arguments are numbered by their position among these.
    std::vector<int> places(static_cast<size_t>(program.registerCount()), -1);
    int arguments = 0;
    for (int r = 0; r < program.registerCount(); ++r) {
        if (isCodeArgument(program.info(r))) places[static_cast<size_t>(r)] = arguments++;
    }
    std::string key;
    const auto add = [&](auto x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
    const auto operand = [&](BlockProgram::Register r) {
        if (r < 0) return add(int8_t{-1});
        const BlockProgram::RegisterInfo& info = program.info(r);
        add(static_cast<int8_t>(info.source));
        add(static_cast<int8_t>(info.type));
        add(info.source == BlockProgram::Source::Constant ? places[static_cast<size_t>(r)] : info.index);
    };
    for (const BlockProgram::Step& s : program.steps()) {
        if (s.action == BlockProgram::Action::Opaque) return {};
        add(static_cast<int8_t>(s.action));
        add(static_cast<int8_t>(s.op));
        add(static_cast<int8_t>(s.lane));
        for (const BlockProgram::Register r : {s.a, s.b, s.c, s.out}) operand(r);
    }
    return key;
}

void enableCompiledRegions() {
    setBlockCompiler(jitMode() == JitMode::Off ? nullptr : codeFor);
}

int64_t compiledRegionCount() {
    return compiledRegions.load(std::memory_order_relaxed);
}

}  // namespace pelorus
