#include "stdlib/register_builtins.h"

namespace pelorus {

void registerStandardLibrary(FunctionRegistry& registry) {
    registerValueFunctions(registry);
    {
        const FunctionFamily ofFiles(registry, Facet::Files, Effect::Writes);
        registerFiles(registry);
        registerFileHandles(registry);
        registerTextIo(registry);
        registerNumpyFiles(registry);
        registerRecordFiles(registry);
    }
    const FunctionFamily ofTheProcess(registry, Facet::Public);
    registerEnvironment(registry);
    registerJsonTables(registry);
    registerCachedTables(registry);
}

void registerValueFunctions(FunctionRegistry& registry) {
    {
        const FunctionFamily thatChange(registry, Facet::Public, Effect::Writes);
        registerConsole(registry);
        registerAppend(registry);
        registerKeyedTables(registry);
        registerColumns(registry);
        registerMemberModify(registry);
    }
    {
        const FunctionFamily ofClocks(registry, Facet::Public, Effect::Stable);
        registerClock(registry);
    }
    {
        // What they call may do anything: the effect of a call is that of both.
        const FunctionFamily thatCall(registry, Facet::Public, Effect::Pure);
        registerHigherOrder(registry);
        registerPipeline(registry);
        registerWindowsOfFunctions(registry);
        registerRowGroupby(registry);
        registerGroupedCalls(registry);
        registerCalls(registry);
    }
    const FunctionFamily ofValues(registry, Facet::Public, Effect::Pure);
    registerOperators(registry);
    registerEqualObjects(registry);
    registerEqualWithin(registry);
    registerBits(registry);
    registerCompression(registry);
    registerRowSorting(registry);
    registerTables(registry);
    registerRegression(registry);
    registerMath(registry);
    registerSums(registry);
    registerChoices(registry);
    registerOrderStatistics(registry);
    registerConversions(registry);
    registerNulls(registry);
    registerOrder(registry);
    registerVectorMaking(registry);
    registerArrayVectors(registry);
    registerGenome(registry);
    registerTextSearch(registry);
    registerInterpolation(registry);
    registerBuckets(registry);
    registerRemoving(registry);
    registerCharacters(registry);
    registerHalves(registry);
    registerTemporalDifferences(registry);
    registerStretching(registry);
    registerDailyBars(registry);
    registerReshaping(registry);
    registerShifting(registry);
    registerWindows(registry);
    registerText(registry);
    registerRegularExpressions(registry);
    registerEncodings(registry);
    registerJson(registry);
    registerStringFormat(registry);
    registerFormatting(registry);
    registerTemporalParts(registry);
    registerPeriods(registry);
    registerFrequencies(registry);
    registerTradingCalendars(registry);
    registerTimeZones(registry);
    registerDictionaries(registry);
    registerUnpivot(registry);
    registerMatrices(registry);
    registerTensors(registry);
    registerRowFunctions(registry);
    registerRowAlignment(registry);
    registerMatrixLabels(registry);
    registerLinearAlgebra(registry);
    registerTopN(registry);
    registerTechnicalAnalysis(registry);
    registerCorrelations(registry);
    registerSearches(registry);
    registerBoxCox(registry);
    registerTransforms(registry);
    registerHypothesisTests(registry);
    registerDistributions(registry);
    registerExponentialWeights(registry);
    registerWindowOrder(registry);
    registerStreaks(registry);
    registerNorms(registry);
    registerWindowData(registry);
    registerSummary(registry);
    registerCodeBuilders(registry);
    registerQueryBuilders(registry);
    registerCodeInspection(registry);
}

}  // namespace pelorus
