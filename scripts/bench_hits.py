#!/usr/bin/env python3
"""The 43 questions of ClickBench over 10^7 generated page views in memory, beside DuckDB in the same run.

    bench_hits.py [--rows 10000000] [--tasks q0,q1,…] [--peers duckdb] [--runs 4]

The 25 columns that the questions name are computed from row numbers, skewed like those of the published data: most phrases and
phone models are empty, one row in ten thousand speaks of google, few users and pages have many views. Constants, `having` and
offsets are scaled to these rows. Where rows tie for the last places of an order, the order says which are first. Four runs of
each, the first to warm up. The goal is twice DuckDB's time for each, and 0.8 in the median.
"""
import sys

from bench_beside import Task, compare, options_of

USERS, PAGES, SITES, PHRASES, ADDRESSES = 0.17, 0.18, 0.004, 0.06, 0.12  # different ones, as parts of the number of rows
SALTS = (2246822519, 3266489917, 668265263, 374761393, 2654435761, 1640531527, 2971215073, 1500450271, 3367900313, 2860486313, 1812433253,
         1664525, 1103515245, 134775813, 2891336453, 1597334677, 3141592621)


def numbers(hashed):
    """Numbers between 0 and 1, one for each salt, in the language of `hashed`."""
    return [f"({hashed(salt)} / 4294967296.0)" for salt in SALTS]


def own_rows(rows):
    def hashed(salt):
        first = f"(id * {salt}l % 4294967296l)"
        return f"double(bitXor({first}, {first} >> 15) * 2057l % 4294967296l)"
    u = numbers(hashed)
    users, pages, phrases, addresses = (int(rows * part) for part in (USERS, PAGES, PHRASES, ADDRESSES))
    return f"""
id = long(1..{rows})
pick = def(u, n) {{ return long(floor(u * u * n)) }}
page = pick({u[0]}, {pages})
page[{u[1]} < 0.1] = 0
models = ["iPad", "iPhone", "Galaxy S4", "Lumia 920", "Nexus 7", "Xperia Z", "Optimus G", "One X", "Desire", "Ascend"]
referer = pick({u[2]}, {pages})
referer[{u[3]} < 0.2] = 0
phrase = pick({u[4]}, {phrases})
phrase[{u[5]} > 0.13] = NULL
model = pick({u[6]}, 10)
model[{u[7]} > 0.07] = NULL
visited = long(floor({u[8]} * 2678400.0))
// Rows as if they had been loaded: each has bytes of its own. The addresses are made up, below a name that nobody has.
urls = "http://site" + string(page % 997) + iif(page % 4001 == 17, ".google.example/search", ".example/catalog") + "/section/" + string(page % 89) + "/page-" + string(page) + ".html"
titles = iif(page % 3001 == 11, "Google answers ", "Pages about things ") + string(page / 2) + " - read, compare, buy and sell"
referers = iif(referer % 5 == 1, "https://www.", "http://") + "host" + string(referer % 499) + ".example/topics/" + string(referer / 3)
hits = table(id * 7919l * 65537l as WatchID, datetime(visited + 1372636800l) as EventTime, date(datetime(visited + 1372636800l)) as EventDate,
    int(pick({u[9]} * {u[9]}, 6000)) as CounterID, int(pick({u[10]}, {addresses}) * 1237l - 1000000000l) as ClientIP, int(pick({u[11]} * {u[11]}, 9000)) as RegionID,
    pick({u[12]}, {users}) * 435090932899l + 640449l as UserID, urls as URL, titles as Title, iif(referer % 6 == 5, "", referers) as Referer,
    short({u[13]} < 0.15) as IsRefresh, short(600 + pick({u[14]}, 100) * 8) as ResolutionWidth, short(iif(isNull(model), 0l, model % 4 + 1)) as MobilePhone,
    iif(isNull(model), "", models[model]) as MobilePhoneModel, short(pick({u[15]}, 10) - 1) as TraficSourceID, short(iif(isNull(phrase), 0l, phrase % 3 + 1)) as SearchEngineID,
    iif(isNull(phrase), "", "how to find number " + string(phrase)) as SearchPhrase, short(iif({u[16]} < 0.006, 1l + pick({u[0]}, 18), 0l)) as AdvEngineID, short(pick({u[1]}, 190) * 10) as WindowClientWidth,
    short(pick({u[2]}, 100) * 10) as WindowClientHeight, short({u[3]} < 0.04) as IsLink, short({u[4]} < 0.01) as IsDownload, short({u[5]} > 0.97) as DontCountHits,
    referer * 2860486313l as RefererHash, page * 1500450271l as URLHash)
undef(`id`page`urls`titles`referers`referer`phrase`model`visited)
"""


def duckdb_rows(rows):
    def hashed(salt):
        first = f"(id * {salt} % 4294967296)"
        return f"(xor({first}, {first} >> 15) * 2057 % 4294967296)::double"
    u = numbers(hashed)
    users, pages, phrases, addresses = (int(rows * part) for part in (USERS, PAGES, PHRASES, ADDRESSES))

    def pick(x, n):
        return f"floor({x} * {x} * {n}.0::double)::bigint"
    return f'''
base.execute("""create table hits as with picked as (select id,
    case when {u[1]} < 0.1 then 0 else {pick(u[0], pages)} end as page, case when {u[3]} < 0.2 then 0 else {pick(u[2], pages)} end as referer,
    case when {u[5]} > 0.13 then null else {pick(u[4], phrases)} end as phrase, case when {u[7]} > 0.07 then null else {pick(u[6], 10)} end as model,
    floor({u[8]} * 2678400.0::double)::bigint as visited from range(1, {rows} + 1) r(id))
select id * 7919 * 65537 as WatchID, make_timestamp((visited + 1372636800) * 1000000) as EventTime, make_timestamp((visited + 1372636800) * 1000000)::date as EventDate,
    {pick(f"({u[9]} * {u[9]})", 6000)}::int as CounterID, ({pick(u[10], addresses)} * 1237 - 1000000000)::int as ClientIP, {pick(f"({u[11]} * {u[11]})", 9000)}::int as RegionID,
    {pick(u[12], users)} * 435090932899 + 640449 as UserID,
    'http://site' || (page % 997) || (case when page % 4001 = 17 then '.google.example/search' else '.example/catalog' end) || '/section/' || (page % 89) || '/page-' || page || '.html' as URL,
    (case when page % 3001 = 11 then 'Google answers ' else 'Pages about things ' end) || (page // 2) || ' - read, compare, buy and sell' as Title,
    case when referer % 6 = 5 then '' else (case when referer % 5 = 1 then 'https://www.' else 'http://' end) || 'host' || (referer % 499) || '.example/topics/' || (referer // 3) end as Referer,
    ({u[13]} < 0.15)::smallint as IsRefresh, (600 + {pick(u[14], 100)} * 8)::smallint as ResolutionWidth, coalesce(model % 4 + 1, 0)::smallint as MobilePhone,
    coalesce(list_extract(['iPad', 'iPhone', 'Galaxy S4', 'Lumia 920', 'Nexus 7', 'Xperia Z', 'Optimus G', 'One X', 'Desire', 'Ascend'], model + 1), '') as MobilePhoneModel,
    ({pick(u[15], 10)} - 1)::smallint as TraficSourceID, coalesce(phrase % 3 + 1, 0)::smallint as SearchEngineID, coalesce('how to find number ' || phrase, '') as SearchPhrase,
    (case when {u[16]} < 0.006 then 1 + {pick(u[0], 18)} else 0 end)::smallint as AdvEngineID, ({pick(u[1], 190)} * 10)::smallint as WindowClientWidth,
    ({pick(u[2], 100)} * 10)::smallint as WindowClientHeight, ({u[3]} < 0.04)::smallint as IsLink, ({u[4]} < 0.01)::smallint as IsDownload,
    ({u[5]} > 0.97)::smallint as DontCountHits, referer * 2860486313 as RefererHash, page * 1500450271 as URLHash from picked""")
'''


HOST = r"^https?://(?:www\.)?([^/]+)/.*$"
JULY = "EventDate >= {first} and EventDate <= {last}"
DAYS = {"ours": JULY.format(first="2013.07.01", last="2013.07.31"), "duckdb": JULY.format(first="'2013-07-01'", last="'2013-07-31'")}
TWO_DAYS = {"ours": JULY.format(first="2013.07.14", last="2013.07.15"), "duckdb": JULY.format(first="'2013-07-14'", last="'2013-07-15'")}


def tasks(rows):
    many = rows // 1000  # what 100,000 of 10^8 rows are
    user = 435090932899 * int(rows * USERS / 2) + 640449
    all_tasks = {}

    def ask(what, ours, duckdb=None):
        """The question in our language; DuckDB's is the same where it is not given."""
        all_tasks[f"q{len(all_tasks)}"] = Task(what, ours, duckdb or ours.replace('""', "''").replace("!=", "<>"), 2.0)

    def counted(what, keys, where, *more, ours_keys="", having="", order="c desc", limit="limit 10", skip=0, days=None):
        """Rows by keys, the most frequent first; keys break ties. `more`: aggregates in our language, nunique as ours."""
        def text(language):
            sql = language == "duckdb"
            items = [keys if sql or not ours_keys else "", "count(*) as c", *more]
            condition = where if not days else where + " and " + days[language]
            names = keys if sql or not ours_keys else ours_keys
            query = (f"select {', '.join(i for i in items if i)} from hits" + (f" where {condition}" if condition else "") + f" group by {names}" +
                     (f" having {having}" if having else "") + f" order by {order} " +
                     (f"{limit} offset {skip}" if skip and sql else limit.replace("limit ", f"limit {skip}, ") if skip else limit))
            if not sql:
                return query
            for of in ("UserID", "URL"):
                query = query.replace(f"nunique({of})", f"count(distinct {of})")
            return query.replace('""', "''").replace("!=", "<>")
        all_tasks[f"q{len(all_tasks)}"] = Task(what, text("ours"), text("duckdb"), 2.0)

    ask("number of rows", "select count(*) as c from hits")
    ask("rows with an advertiser", "select count(*) as c from hits where AdvEngineID != 0")
    ask("sum, count and mean", "select sum(AdvEngineID) as s, count(*) as c, avg(ResolutionWidth) as w from hits")
    ask("mean of wide numbers", "select avg(UserID) as u from hits")
    ask("different users", "select nunique(UserID) as u from hits", "select count(distinct UserID) as u from hits")
    ask("different phrases", "select nunique(SearchPhrase) as u from hits", "select count(distinct SearchPhrase) as u from hits")
    ask("first and last day", "select min(EventDate) as a, max(EventDate) as b from hits")
    counted("rows by advertiser", "AdvEngineID", "AdvEngineID != 0", limit="")
    counted("users by region", "RegionID", "", "nunique(UserID) as u", order="u desc, RegionID")
    counted("four aggregates by region", "RegionID", "", "sum(AdvEngineID) as s", "avg(ResolutionWidth) as w", "nunique(UserID) as u")
    counted("users by phone model", "MobilePhoneModel", 'MobilePhoneModel != ""', "nunique(UserID) as u", order="u desc")
    counted("users by phone and model", "MobilePhone, MobilePhoneModel", 'MobilePhoneModel != ""', "nunique(UserID) as u", order="u desc")
    counted("rows by phrase", "SearchPhrase", 'SearchPhrase != ""', order="c desc, SearchPhrase")
    counted("users by phrase", "SearchPhrase", 'SearchPhrase != ""', "nunique(UserID) as u", order="u desc, SearchPhrase")
    counted("rows by engine and phrase", "SearchEngineID, SearchPhrase", 'SearchPhrase != ""', order="c desc, SearchPhrase")
    counted("rows by user", "UserID", "", order="c desc, UserID")
    counted("rows by user and phrase", "UserID, SearchPhrase", "", order="c desc, UserID, SearchPhrase")
    ask("ten users with a phrase", "select UserID, SearchPhrase, count(*) as c from hits group by UserID, SearchPhrase limit 10")
    all_tasks["q17"].any_rows = True
    ask("rows by user, minute and phrase",
        "select UserID, minuteOfHour(EventTime) as m, SearchPhrase, count(*) as c from hits group by UserID, minuteOfHour(EventTime) as m, SearchPhrase "
        "order by c desc, UserID, m, SearchPhrase limit 10",
        "select UserID, extract(minute from EventTime) as m, SearchPhrase, count(*) as c from hits group by all order by c desc, UserID, m, SearchPhrase limit 10")
    ask("rows of one user", f"select UserID from hits where UserID = {user}")
    ask("rows whose URL is like google", 'select count(*) as c from hits where URL like "%google%"', "select count(*) as c from hits where URL like '%google%'")
    google = 'URL like "%google%" and SearchPhrase != ""'
    ask("phrases with such an URL", f"select SearchPhrase, min(URL) as u, count(*) as c from hits where {google} group by SearchPhrase order by c desc, SearchPhrase limit 10",
        "select SearchPhrase, min(URL) as u, count(*) as c from hits where URL like '%google%' and SearchPhrase <> '' group by SearchPhrase order by c desc, SearchPhrase limit 10")
    aggregates = "select SearchPhrase, min(URL) as u, min(Title) as t, count(*) as c, "
    ask("phrases with such a title, not such an URL",
        aggregates + 'nunique(UserID) as n from hits where Title like "%Google%" and not (URL like "%.google.%") and SearchPhrase != "" group by SearchPhrase '
        "order by c desc, SearchPhrase limit 10",
        aggregates + "count(distinct UserID) as n from hits where Title like '%Google%' and URL not like '%.google.%' and SearchPhrase <> '' group by SearchPhrase "
        "order by c desc, SearchPhrase limit 10")
    ask("all columns of the first with such an URL", 'select * from hits where URL like "%google%" order by EventTime, WatchID limit 10',
        "select * from hits where URL like '%google%' order by EventTime, WatchID limit 10")
    phrase = 'select SearchPhrase from hits where SearchPhrase != "" order by {} limit 10'
    ask("first phrases by time", phrase.format("EventTime, WatchID"))
    ask("first phrases", phrase.format("SearchPhrase"))
    ask("first phrases by time and text", phrase.format("EventTime, SearchPhrase"))
    ask("mean length of URLs by counter",
        f'select CounterID, avg(strlen(URL)) as l, count(*) as c from hits where URL != "" group by CounterID having count(*) > {many} order by l desc limit 25',
        f"select CounterID, avg(strlen(URL)) as l, count(*) as c from hits where URL <> '' group by CounterID having count(*) > {many} order by l desc limit 25")
    ask("mean length of referers by host",
        f'select avg(strlen(Referer)) as l, count(*) as c, min(Referer) as r from hits where Referer != "" '
        f'group by regexReplace(Referer, "{HOST.replace(chr(92), chr(92) * 2)}", "$1") as k having count(*) > {many} order by l desc limit 25',
        f"select regexp_replace(Referer, '{HOST}', '\\1') as k, avg(strlen(Referer)) as l, count(*) as c, min(Referer) as r from hits where Referer <> '' "
        f"group by k having count(*) > {many} order by l desc limit 25")
    ask("ninety sums", f"select {', '.join(f'sum(ResolutionWidth + {i}) as s{i}' for i in range(90))} from hits")
    more = ("sum(IsRefresh) as s", "avg(ResolutionWidth) as w")
    counted("by engine and address", "SearchEngineID, ClientIP", 'SearchPhrase != ""', *more, order="c desc, SearchEngineID, ClientIP")
    counted("by view and address, with a phrase", "WatchID, ClientIP", 'SearchPhrase != ""', *more, order="c desc, WatchID")
    counted("by view and address", "WatchID, ClientIP", "", *more, order="c desc, WatchID")
    counted("rows by URL", "URL", "", order="c desc, URL")
    ask("rows by one and URL", "select one, URL, count(*) as c from hits group by 1 as one, URL order by c desc, URL limit 10",
        "select 1 as one, URL, count(*) as c from hits group by one, URL order by c desc, URL limit 10")
    addresses = [f"ClientIP - {i}" for i in (1, 2, 3)]
    named = [f"{e} as a{i + 1}" for i, e in enumerate(addresses)]
    ask("rows by four of an address", f"select ClientIP, a1, a2, a3, count(*) as c from hits group by ClientIP, {', '.join(named)} order by c desc, ClientIP limit 10",
        f"select ClientIP, {', '.join(named)}, count(*) as c from hits group by ClientIP, {', '.join(addresses)} order by c desc, ClientIP limit 10")
    counter = "CounterID = 62 and IsRefresh = 0"
    counted("pages of a counter", "URL", f'{counter} and DontCountHits = 0 and URL != ""', order="c desc, URL", days=DAYS)
    counted("titles of a counter", "Title", f'{counter} and DontCountHits = 0 and Title != ""', order="c desc, Title", days=DAYS)
    counted("links of a counter", "URL", f"{counter} and IsLink != 0 and IsDownload = 0", order="c desc, URL", skip=100, days=DAYS)
    source = "TraficSourceID, SearchEngineID, AdvEngineID, "
    source_of = "case when SearchEngineID = 0 and AdvEngineID = 0 then Referer else {} end"
    ask("sources of a counter",
        f"select {source}src, dst, count(*) as c from hits where {counter} and {DAYS['ours']} group by {source}{source_of.format(chr(34) * 2)} as src, URL as dst "
        f"order by c desc, {source}src, dst limit 1000, 10",
        f"select {source}{source_of.format(chr(39) * 2)} as src, URL as dst, count(*) as c from hits where {counter} and {DAYS['duckdb']} group by all "
        f"order by c desc, {source}src, dst limit 10 offset 1000")
    counted("pages from one referer by day", "URLHash, EventDate", f"{counter} and TraficSourceID in (-1, 6) and RefererHash = 0", order="c desc, URLHash, EventDate", skip=100, days=DAYS)
    counted("windows of one page", "WindowClientWidth, WindowClientHeight", f"{counter} and DontCountHits = 0 and URLHash = 0",
            order="c desc, WindowClientWidth, WindowClientHeight", skip=100, days=DAYS)
    ask("minutes of two days", f"select count(*) as c from hits where {counter} and DontCountHits = 0 and {TWO_DAYS['ours']} group by bar(EventTime, 1m) as m order by m limit 100, 10",
        f"select date_trunc('minute', EventTime) as m, count(*) as c from hits where {counter} and DontCountHits = 0 and {TWO_DAYS['duckdb']} group by m order by m limit 10 offset 100")
    assert len(all_tasks) == 43
    return all_tasks


def main():
    options = options_of(__doc__, 10_000_000, tasks(1), ("duckdb",), runs=4)
    setups = {"duckdb": duckdb_rows(options.rows)}
    return compare(tasks(options.rows), own_rows(options.rows), setups, options, "hits")


if __name__ == "__main__":
    sys.exit(main())
