#!/usr/bin/env python3
"""Ten questions about a database of real quotes, answered by the tools of the Model Context Protocol alone, and an eleventh by a tool that the
database's owner has made. The answers are computed from the file, too. Skipped without the public client or the file of quotes."""
import asyncio
import csv
import gzip
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    print("SKIPPED tests/clients/model_questions_test.py (no mcp: scripts/setup.sh --python)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/pelorus").resolve())
QUOTES = Path(os.environ.get("PELORUS_MARKET_DATA", "/nowhere"), "nyse_quotes_2018.csv.gz")
TABLE = 'loadTable("dfs://real_quotes", "quotes")'
MAKE = """
columns = table(`symbol`date`time`bid`ofr`bidsiz`ofrsiz`ex as name, `SYMBOL`DATE`NANOTIME`DOUBLE`DOUBLE`INT`INT`CHAR as type)
db = database("dfs://real_quotes", VALUE, 2018.01.01..2018.01.31)
quotes = loadTextEx(db, `quotes, `date, args[0], , columns)
def spreadOf(day, exchange="") {
    t = select bid, ofr, ex from loadTable("dfs://real_quotes", `quotes) where date = day, bid > 0, ofr > bid
    if (exchange != "") { t = select * from t where string(ex) = exchange }
    return select avg(ofr - bid) as spread, count(*) as n from t
}
addMCPTool("spread", spreadOf, `day`exchange, `DATE`string, "The mean spread of a day, of one exchange or all.", {title: "Spread"})
addMCPPrompt("brief", "Describe the quotes of ${day} in one sentence.", "A short report.")
publishMCPTools(); publishMCPPrompts()
"""
passed = failed = 0


def check(question, found, expected):
    global passed, failed
    same = found == expected or (isinstance(found, float) and abs(found - expected) <= 1e-9 * max(1.0, abs(expected)))
    passed, failed = passed + same, failed + (not same)
    if not same:
        print(f"FAILED {question}: {found!r} instead of {expected!r}")


def read_quotes():
    with gzip.open(QUOTES, "rt") as file:
        return [(row["date"], row["time"], float(row["bid"]), float(row["ofr"]), int(row["bidsiz"]), int(row["ofrsiz"]), row["ex"]) for row in csv.DictReader(file)]


async def rows_of(session, query):
    answer = await session.call_tool("query", {"query": query})
    if answer.is_error:
        raise AssertionError(f"{query}: {answer.content[0].text}")
    return answer.structured_content["rows"]


async def ten_questions(session, quotes):
    valid = [quote for quote in quotes if quote[2] > 0 and quote[3] > quote[2]]
    listed = (await session.call_tool("databases", {})).structured_content["databases"]
    check("Which tables are there?", listed, [{"database": "dfs://real_quotes", "tables": ["quotes"]}])
    described = (await session.call_tool("describe", {"database": "dfs://real_quotes", "table": "quotes"})).structured_content
    check("How is it cut into partitions?", described["partitionColumns"], ["date"])
    check("How many quotes are there?", await rows_of(session, f"select count(*) as n from {TABLE}"), [[len(quotes)]])
    days = Counter(quote[0] for quote in quotes)
    check("How many on each day?", await rows_of(session, f"select count(*) as n from {TABLE} group by date order by date"), [[day, days[day]] for day in sorted(days)])
    exchanges = Counter(quote[6] for quote in quotes)
    busiest = (await rows_of(session, f"select top 1 count(*) as n from {TABLE} group by ex order by n desc"))[0][1]
    check("How many has the busiest exchange?", busiest, max(exchanges.values()))
    check("What was the highest bid of a valid quote?", (await rows_of(session, f"select max(bid) as high from {TABLE} where bid > 0, ofr > bid"))[0][0],
          max(quote[2] for quote in valid))
    check("How many quotes are crossed or locked?", await rows_of(session, f"select count(*) as n from {TABLE} where bid >= ofr, ofr > 0"),
          [[sum(quote[2] >= quote[3] > 0 for quote in quotes)]])
    found = (await session.call_tool("help", {"name": "weighted"})).content[0].text
    check("Which function weighs a mean?", "* wavg(X, Y)" in found, True)
    weighted = (await rows_of(session, f"select wavg(bid, bidsiz) as bid from {TABLE} where bid > 0, ofr > bid"))[0][0]
    check("What is the mean bid, weighted by its size?", round(weighted, 8),
          round(sum(quote[2] * quote[4] for quote in valid) / sum(quote[4] for quote in valid), 8))
    hours = defaultdict(int)
    for quote in quotes:
        hours[int(quote[1][:2])] += 1
    hour = (await rows_of(session, f"select top 1 count(*) as n from {TABLE} group by hour(time) as h order by n desc"))[0]
    check("In which hour do most quotes come?", hour, [max(hours, key=hours.get), max(hours.values())])
    plan = (await session.call_tool("explain", {"query": f"select * from {TABLE} where date = 2018.01.02"})).content[0].text
    check("How many partitions does a day read?", f"1 of {len(days)} partitions" in plan, True)


async def own_tools(session, quotes):
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    check("the owner's tool is listed with its arguments", tools["spread"].input_schema["required"], ["day"])
    of_day = [quote for quote in quotes if quote[0] == "2018.01.02" and quote[2] > 0 and quote[3] > quote[2]]
    answer = (await session.call_tool("spread", {"day": "2018-01-02"})).structured_content
    check("What was the mean spread of a day?", [round(answer["rows"][0][0], 9), answer["rows"][0][1]],
          [round(sum(quote[3] - quote[2] for quote in of_day) / len(of_day), 9), len(of_day)])
    check("its rows are marked as data", "not instructions" in answer["note"], True)
    one = (await session.call_tool("spread", {"day": "2018-01-02", "exchange": "N"})).structured_content
    check("and of one exchange?", one["rows"][0][1], sum(quote[6] == "N" for quote in of_day))
    prompt = await session.get_prompt("brief", {"day": "2018.01.02"})
    check("the owner's prompt is filled", prompt.messages[0].content.text, "Describe the quotes of 2018.01.02 in one sentence.")


async def ask(folder, quotes):
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", "--data", folder])
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await ten_questions(session, quotes)
            await own_tools(session, quotes)


def main():
    if not QUOTES.exists():
        print("SKIPPED tests/clients/model_questions_test.py (PELORUS_MARKET_DATA names no folder with nyse_quotes_2018.csv.gz)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="pelorus_questions_") as folder:
        script = Path(folder, "make.dos")
        script.write_text(MAKE)
        made = subprocess.run([PROGRAM, "run", "--data", f"{folder}/data", str(script), str(QUOTES)], capture_output=True, text=True, timeout=120)
        if made.returncode != 0:
            print(f"FAILED the database is made: {made.stderr}")
            return 1
        asyncio.run(ask(f"{folder}/data", read_quotes()))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or passed < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
