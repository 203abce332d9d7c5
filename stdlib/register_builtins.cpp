#include "stdlib/register_builtins.h"

#include "runtime/registry/function_theme.h"
#include "stdlib/register_analysis.h"

namespace pelorus {

void registerStandardLibrary(FunctionRegistry& registry) {
    registerValueFunctions(registry);
    {
        const FunctionFamily ofFiles(registry, Facet::Files, Effect::Writes);
        FunctionTheme::registerAll(
            registry, "files",
            {registerFiles, registerFileHandles, registerTextIo, registerNumpyFiles, registerRecordFiles,
             registerChartFiles, registerParquetFiles, registerFeatherFiles, registerPlugins});
    }
    {
        const FunctionFamily ofModels(registry, Facet::Files, Effect::Writes);
        FunctionTheme::registerAll(registry, "models", {registerSavedModels});
    }
    {
        // A connection string opens files and sockets of the process.
        const FunctionFamily ofOtherDatabases(registry, Facet::Admin, Effect::Writes);
        FunctionTheme::registerAll(registry, "other databases", {registerOdbc});
    }
    const FunctionFamily ofTheProcess(registry, Facet::Public);
    FunctionTheme::registerAll(registry, "the process", {registerEnvironment});
    FunctionTheme::registerAll(registry, "tables", {registerJsonTables, registerCachedTables});
}

void registerValueFunctions(FunctionRegistry& registry) {
    {
        const FunctionFamily thatChange(registry, Facet::Public, Effect::Writes);
        FunctionTheme::registerAll(registry, "the console", {registerConsole});
        FunctionTheme::registerAll(registry, "charts", {registerCharts});
        FunctionTheme::registerAll(registry, "tables",
                                   {registerAppend, registerKeyedTables, registerColumns, registerMemberModify});
    }
    {
        const FunctionFamily ofClocks(registry, Facet::Public, Effect::Stable);
        FunctionTheme::registerAll(registry, "dates and times", {registerClock});
    }
    {
        // The functions that they call may have any effect: the effect of a call is the stronger of both.
        const FunctionFamily thatCall(registry, Facet::Public, Effect::Pure);
        FunctionTheme::registerAll(registry, "functions of functions",
                                   {registerHigherOrder, registerPipeline, registerGroupedCalls, registerCalls,
                                    registerRecursions, registerStateMean});
        FunctionTheme::registerAll(registry, "window functions", {registerWindowsOfFunctions});
        FunctionTheme::registerAll(registry, "row functions", {registerRowGroupby});
        FunctionTheme::registerAll(registry, "optimisation", {registerMinimizers, registerCalculus});
    }
    const FunctionFamily ofValues(registry, Facet::Public, Effect::Pure);
    FunctionTheme::registerAll(registry, "operators", {registerOperators, registerEqualObjects, registerEqualWithin});
    FunctionTheme::registerAll(
        registry, "mathematics",
        {registerMath, registerInterpolation, registerBoxCox, registerTransforms, registerNorms, registerPolynomials,
         registerInterpolationModels, registerResampledInterpolation, registerBSplines});
    FunctionTheme::registerAll(
        registry, "sums and choices",
        {registerSums, registerChoices, registerOrderStatistics, registerSearches, registerSummary});
    FunctionTheme::registerAll(registry, "statistics",
                               {registerRegression, registerResiduals, registerDensities, registerCorrelations,
                                registerHypothesisTests, registerDistributions});
    FunctionTheme::registerAll(registry, "window functions",
                               {registerWindows, registerShifting, registerWindowOrder, registerWindowData,
                                registerTopN, registerExponentialWeights, registerTechnicalAnalysis, registerStreaks});
    FunctionTheme::registerAll(registry, "row functions",
                               {registerRowSorting, registerRowFunctions, registerRowAlignment});
    FunctionTheme::registerAll(registry, "types and NULL",
                               {registerConversions, registerNulls, registerBits, registerHalves, registerCompression});
    FunctionTheme::registerAll(registry, "vectors",
                               {registerVectorMaking, registerOrder, registerBuckets, registerRemoving,
                                registerStretching, registerArrayVectors, registerReshaping, registerZigzag});
    FunctionTheme::registerAll(
        registry, "matrices and tensors",
        {registerMatrices, registerMatrixLabels, registerLinearAlgebra, registerTensors, registerGramSchmidt});
    FunctionTheme::registerAll(registry, "strings",
                               {registerStrings, registerCharacters, registerRegularExpressions, registerStringFormat,
                                registerFormatting, registerTextSearch, registerEncodings, registerJson, registerGenome,
                                registerOracleNames, registerPackedBytes});
    FunctionTheme::registerAll(registry, "dates and times",
                               {registerTemporalParts, registerPeriods, registerTemporalDifferences, registerDailyBars,
                                registerFrequencies, registerTradingCalendars, registerTimeZones});
    FunctionTheme::registerAll(registry, "dictionaries and sets", {registerDictionaries});
    FunctionTheme::registerAll(registry, "tables", {registerTables, registerUnpivot, registerEventPairs});
    FunctionTheme::registerAll(registry, "optimisation", {registerPrograms});
    FunctionTheme::registerAll(
        registry, "models",
        {registerLinearModels, registerGeneralizedLinear, registerNaiveBayes, registerNearestNeighbours,
         registerClusters, registerForests, registerKernelRidge, registerBoundedLeastSquares, registerPiecewiseLinear});
    FunctionTheme::registerAll(registry, "finance",
                               {registerBonds, registerYieldCurves, registerRisk, registerOptions, registerInstruments,
                                registerMarketData, registerBondCalculator, registerBondPricers, registerFxPricers});
    FunctionTheme::registerAll(registry, "time series",
                               {registerVarianceAnalysis, registerUnitRoots, registerSeasonalTrends,
                                registerTimeSeriesModels, registerGarch, registerVarma});
    FunctionTheme::registerAll(registry, "geometry", {registerPoints});
    FunctionTheme::registerAll(registry, "metacode",
                               {registerCodeBuilders, registerQueryBuilders, registerCodeInspection});
}

}  // namespace pelorus
