/**
 * Every way a script can make something that stays: one expression for each built-in, method, module member and form of
 * the syntax. `KEPT` are made many times over, with `i` counting; `GROWING` are made once, of a size that grows with `n`.
 */

/** What all forms find at the top level of their file. */
export const PRELUDE = `
word = "some words in a row"
wide = "日本語の文字列です、よ、ね、か、さ"
big = 1 << 200
half = 0.5
data = b"some bytes in a row, more than the sixty-four that fit beside their header: they go elsewhere"
few = [1, 2, 3]
pair = (1, 2)
table = {"a": 1, "b": 2, "c": 3}
pairs = {(1, 2): 1, (3, 4): 2, 1.5: 3}
some = set([1, 2, 3])
point = struct(x = 1, y = 2)
moment = time.from_timestamp(1577836800)
PATTERN = r"(\\w+) (?P<second>\\w+)"

def make(x):
    def inner(y = x):
        return x + y
    return inner

def make_deep(x):
    a, b, c, d, e, f, g, h = x, x, x, x, x, x, x, x
    k, l, m, n, o, p, q, r = x, x, x, x, x, x, x, x
    return lambda: a

def make_chain(x):
    def middle():
        y = x
        return lambda: x + y
    return middle()

def variadic(*args):
    return args

def keywords(**kwargs):
    return kwargs

def defaults(a, b = None, *, c = None):
    return [a, b, c]

def changed(list, x):
    list.append(x)
    return list

def inserted(list, x):
    list.insert(0, x)
    return list

def extended(list, x):
    list.extend([x])
    list += (x,)
    return list

def updated(dict, x):
    dict.update([(x, x)])
    dict.setdefault(x + 1, x)
    dict |= {x + 2: x}
    return dict

def united(set, x):
    set.update([x], [x + 1])
    set |= some
    set.difference_update([1])
    set.intersection_update([x, x + 1, 2, 3])
    set.symmetric_difference_update([x])
    set.discard(2)
    return set

def emptied(dict):
    return [dict.pop("a"), dict.popitem(), dict]

def grown(text, x):
    text += word
    text += str(x)
    return text

def read(list):
    for each in list:
        pass
    return list

def looked_at(dict):
    for each in dict.values():
        pass
    return dict

def sized(list, found):
    return [list, found]
`;

/** One value for each round. The names of built-ins, methods and members are as \`dir\` has them; others say what they are. */
export const KEPT: Readonly<Record<string, string>> = {
  // --- syntax ---
  'list display': '[i]',
  'empty list display': '[]',
  'tuple display': '(i, i)',
  'dict display': '{i: i}',
  'empty dict display': '{}',
  'dict display with many kinds of key': '{i: 1, i + 0.5: 2, (i, i): 3, "%d" % i: 4, None: 5, b"x": 6}',
  'list comprehension': '[j for j in pair]',
  'dict comprehension': '{j: j for j in pair}',
  'nested comprehension': '[[k for k in pair] for j in pair]',
  lambda: 'lambda: i',
  'lambda with defaults': 'lambda a = i, b = i: a',
  'lambda in a comprehension': '[lambda: j for j in pair]',
  'nested def': 'make(i)',
  'nested def with many locals around': 'make_deep(i)',
  'def in def in def': 'make_chain(i)',
  '*args': 'variadic(i, i, i)',
  'empty *args': 'variadic()',
  '**kwargs': 'keywords(a = i, b = i)',
  'empty **kwargs': 'keywords()',
  'spread call': 'variadic(*few)',
  'spread keywords': 'keywords(**table)',
  'call with defaults': 'defaults(i, c = i)',
  'conditional expression': '[i] if i % 2 else (i,)',
  'int beyond the small ones': 'i + 5000000000',
  'int too large for a double': 'i + 9007199254740991',
  'negative of a long int': '-(big + i)',
  'long int +': 'big + i',
  'long int -': 'big - i',
  'long int *': 'big * (i + 1)',
  'long int //': 'big // (i + 2)',
  'long int %': '(big + i) % (big - 1)',
  'long int &': '(big + i) & (big - 1 - i)',
  'long int |': 'big | i',
  'long int ^': 'big ^ i',
  'long int ~': '~(big + i)',
  'long int <<': '(i + 1) << 300',
  'long int >>': '(big + i) >> 20',
  'float +': 'i + 0.25',
  'float + float': 'half + half',
  'float -': 'half - i',
  'float *': 'half * i',
  'float /': 'i / 7',
  'float //': '(half + i) // 2',
  'float %': '(half + i) % 7',
  'float -x': '-half',
  'float formula': 'half * 2.0 + 1.5 - half',
  'string +': 'word + word',
  'short string +': '"ab" + "cd"',
  'string + to a rope': 'grown(word, i)',
  'string *': 'word * 2',
  'short string *': '"ab" * 3',
  'string %': '"%s is %d" % (word, i)',
  'string % of one': '"%s!" % i',
  'string % with a dict': '"%(a)s %(b)r" % table',
  'string[i]': 'wide[i % 9]',
  'string[i:j]': 'word[1:18]',
  'short string[i:j]': 'word[1:4]',
  'string[::k]': 'word[::-1]',
  'wide string[i:j]': 'wide[1:15]',
  'list[i:j]': 'few[1:]',
  'list[::k]': 'few[::-1]',
  'tuple[i:j]': '(i, i, i)[1:]',
  'bytes[i:j]': 'data[1:]',
  'short bytes[i:j]': 'data[1:4]',
  'bytes[::k]': 'data[::-1]',
  'range[i:j]': 'range(i + 9)[2:5]',
  'bytes +': 'data + data',
  'bytes *': 'b"ab" * 3',
  'list +': 'few + few',
  'list *': 'few * 2',
  'tuple +': 'pair + pair',
  'tuple *': 'pair * 2',
  'dict |': 'table | {i: i}',
  'dict | with kept keys': 'pairs | {i: i}',
  'set |': 'some | set([i])',
  'set &': 'some & some',
  'set -': 'some - set([1])',
  'set ^': 'some ^ set([i])',
  'struct +': 'point + struct(z = i)',
  'bound method': 'word.upper',
  'bound method of a list': 'few.append',
  'tuple as key': 'sized((i, i + 1, i + 2), (i, i + 1, i + 2) in pairs)',
  'unpacking assignment': 'sized(*[i, i])',

  // --- views of the host's data ---
  'view of an object': 'payload["a" if i % 2 else "b"]',
  'view of an array': 'payload["list" if i % 2 else "floats"]',
  'view of an array, read': 'read(payload["list" if i % 2 else "floats"])',
  'view of an array, element': 'payload["nested"][i % 4]',
  'view of an array, compared': 'sized(payload["nested"][i % 4], payload["nested"][i % 4] == [[], []])',
  'view of an array, searched':
    'sized(payload["floats" if i % 2 else "list"], 9 in payload["floats" if i % 2 else "list"])',
  'view of an array, spread': 'variadic(*payload["nested" if i % 2 else "floats"])',
  'view of an array, sliced': 'payload["nested" if i % 2 else "list"][1:]',
  'view of an object, looked at': 'looked_at(payload["a" if i % 2 else "b"])',
  'view of an object, copied': 'dict(payload["a" if i % 2 else "b"])',
  'view of an object, items': 'payload["a" if i % 2 else "b"].items()',
  'view of an object, asked for another key':
    'sized(payload["a" if i % 2 else "b"], 1 in payload["a" if i % 2 else "b"])',
  'view of an object, get': 'payload.get("a" if i % 2 else "b")',
  'float of the host': 'payload["floats"][i % 3]',
  'float of the host by key': 'payload["a" if i % 2 else "b"]["f"]',
  'long int of the host': 'payload["longs"][i % 2]',

  // --- built-ins ---
  abs: 'abs(-(half + i))',
  'abs of a long int': 'abs(-(big + i))',
  all: 'all([i])',
  any: 'any([i])',
  bool: 'bool(i)',
  bytes: 'bytes(word)',
  'bytes of ints': 'bytes([1, 2, 3])',
  chr: 'chr(0x3042 + i % 50)',
  'chr beyond the basic plane': 'chr(0x1f600 + i % 50)',
  dict: 'dict([(i, i)])',
  'dict of keywords': 'dict(a = i)',
  'dict of nothing': 'dict()',
  dir: 'dir(point)',
  enumerate: 'enumerate(few)',
  float: 'float(i)',
  'float of text': 'float("1.5")',
  getattr: 'getattr(word, "upper")',
  hasattr: 'hasattr(word, "upper")',
  hash: 'hash(word)',
  int: 'int("12345678901234567890") + i',
  'int of a float': 'int(1e300 * (i + 1))',
  len: 'len(few)',
  list: 'list(pair)',
  'list of nothing': 'list()',
  max: 'max([i, i + half])',
  min: 'min(i + half, i + 1)',
  ord: 'ord("a")',
  print: 'print(word)',
  range: 'range(i)',
  repr: 'repr([i, i, word])',
  reversed: 'reversed(few)',
  set: 'set(few)',
  'set of nothing': 'set()',
  sorted: 'sorted([3, 1, 2])',
  'sorted by key': 'sorted(few, key = lambda x: -x)',
  str: 'str(i)',
  'str of a float': 'str(i + half)',
  'str of bytes': 'str(data)',
  tuple: 'tuple(few)',
  type: 'type(i)',
  zip: 'zip(few, few)',
  struct: 'struct(a = i, b = i)',
  'struct of nothing': 'struct()',

  // --- methods of strings ---
  'string.capitalize': 'word.capitalize()',
  'string.codepoint_ords': 'word.codepoint_ords()',
  'string.codepoints': 'list(wide.codepoints())',
  'string.count': 'word.count("o")',
  'string.elem_ords': 'word.elem_ords()',
  'string.elems': 'word.elems()',
  'string.elems, listed': 'list(wide.elems())',
  'string.endswith': 'word.endswith("row")',
  'string.find': 'word.find("row", 1, 9)',
  'string.format': '"{} and {a}".format(i, a = i)',
  'string.index': 'word.index("row")',
  'string.isalnum': 'word.isalnum()',
  'string.isalpha': 'word.isalpha()',
  'string.isdigit': 'word.isdigit()',
  'string.islower': 'word.islower()',
  'string.isspace': 'word.isspace()',
  'string.istitle': 'word.istitle()',
  'string.isupper': 'word.isupper()',
  'string.join': '", ".join(["a", "b", word])',
  'string.lower': 'word.lower()',
  'string.lstrip': '"  some words in a row".lstrip()',
  'string.partition': 'word.partition(" ")',
  'string.removeprefix': 'word.removeprefix("some ")',
  'string.removesuffix': 'word.removesuffix(" row")',
  'string.replace': 'word.replace("o", "0")',
  'string.rfind': 'word.rfind("o")',
  'string.rindex': 'word.rindex("o")',
  'string.rpartition': 'word.rpartition(" ")',
  'string.rsplit': 'word.rsplit(" ", 2)',
  'string.rstrip': '"some words in a row  ".rstrip()',
  'string.split': 'word.split(" ")',
  'string.split at spaces': 'word.split()',
  'string.splitlines': '"ab\\ncd\\nef".splitlines()',
  'string.startswith': 'word.startswith("some")',
  'string.strip': 'word.strip("swo")',
  'string.title': 'word.title()',
  'string.upper': 'word.upper()',

  // --- methods of lists ---
  'list.append': 'changed([], i)',
  'list.clear': 'sized([i], [i].clear())',
  'list.extend': 'extended([], i)',
  'list.index': '[i].index(i)',
  'list.insert': 'inserted([], i)',
  'list.pop': '[(i,)].pop()',
  'list.remove': 'sized([i], [i].remove(i))',

  // --- methods of dicts ---
  'dict.clear': 'sized({i: i}, {i: i}.clear())',
  'dict.get': 'table.get("a")',
  'dict.items': 'table.items()',
  'dict.items of kept keys': 'pairs.items()',
  'dict.keys': 'table.keys()',
  'dict.pop': '{i: [i]}.pop(i)',
  'dict.popitem': 'emptied({"a": i, "b": i, "c": i})',
  'dict.setdefault': 'updated({}, i)',
  'dict.update': 'updated({i: i}, i)',
  'dict.values': 'table.values()',

  // --- methods of sets ---
  'set.add': 'sized(set([i]), set().add(i))',
  'set.clear': 'set([i]).clear()',
  'set.difference': 'some.difference([i])',
  'set.difference_update': 'united(set([i]), i)',
  'set.discard': 'some.difference([1])',
  'set.intersection': 'some.intersection([1, 2])',
  'set.intersection_update': 'united(set(few), i)',
  'set.isdisjoint': 'some.isdisjoint([i])',
  'set.issubset': 'some.issubset(few)',
  'set.issuperset': 'some.issuperset([i])',
  'set.pop': 'set([(i,)]).pop()',
  'set.remove': 'set([i]).remove(i)',
  'set.symmetric_difference': 'some.symmetric_difference([i])',
  'set.symmetric_difference_update': 'united(set([i, i + 1]), i)',
  'set.union': 'some.union([i], few)',
  'set.update': 'united(set(), i)',

  'bytes.elems': 'data.elems()',

  // --- modules ---
  'json.decode': 'json.decode(\'{"a": [1, 2.5, "text", null]}\')',
  'json.encode': 'json.encode({"a": [i, half, word]})',
  'json.encode_indent': 'json.encode_indent([i, {"a": i}])',
  'json.indent': 'json.indent("[1,2,[3]]")',
  'math.ceil': 'math.ceil(i + half)',
  'math.floor': 'math.floor(1e18 + i)',
  'math.log': 'math.log(i + 1, 3)',
  're.findall': 're.findall(r"\\w+", word)',
  're.findall of groups': 're.findall(PATTERN, word)',
  're.fullmatch': 're.fullmatch(r"(.*)", word)',
  're.match': 're.match(PATTERN, word)',
  're.replace': 're.replace("o", "0", word)',
  're.search': 're.search(PATTERN, word)',
  're.split': 're.split(" ", word)',
  'time.from_timestamp': 'time.from_timestamp(i)',
  'time.is_valid_timezone': 'time.is_valid_timezone("Europe/Berlin")',
  'time.now': 'time.now()',
  'time.parse_duration': 'time.parse_duration("1h15m")',
  'time.parse_time': 'time.parse_time("2020-01-01T00:00:00Z")',
  'time.parse_time with an offset': 'time.parse_time("2020-01-01T00:00:00+02:00")',
  'time.time': 'time.time(year = 2020, month = 1 + i % 12)',
  'time.time, taken apart': 'sized(time.time(year = 2020), time.time(year = 2020).month)',
  'time kept with its parts': '[sized(t, t.hour) for t in [time.from_timestamp(i)]]',
  'time + duration': 'moment + time.hour',
  'time - time': 'time.from_timestamp(i) - moment',
  'duration *': 'time.hour * (i % 1000)',
  'duration /': 'time.hour / 3',
  'duration / duration': 'time.hour / time.minute',
  'duration + duration': 'time.hour + time.minute',
  'duration.hours': 'time.hour.hours',
  'time.unix_nano': 'moment.unix_nano',
  'time.format, bound': 'moment.format',
  'time.format': 'moment.format("2006-01-02")',
  'time.in_location, bound': 'moment.in_location',
  'time.in_location': 'moment.in_location("Europe/Berlin")',
};

/** One value of size \`n\`. */
export const GROWING: Readonly<Record<string, string>> = {
  'list of a range': 'list(range(n))',
  'list of long ints': '[""] + [i * 1000000007 for i in range(n)]',
  'list of floats': '[i + half for i in range(n)]',
  'list of functions': '[lambda: i for i in range(n)]',
  'tuple of a range': 'tuple(range(n))',
  'set of a range': 'set(range(n))',
  'set of texts': 'set([str(i) for i in range(n)])',
  'set of floats': 'set([i + half for i in range(n)])',
  'dict of ints': '{i: i for i in range(n)}',
  'dict of texts': '{str(i): str(i) for i in range(n)}',
  'dict of tuples': '{(i, i): i for i in range(n)}',
  'dict of floats': '{i + half: i for i in range(n)}',
  'dict of bytes': '{bytes([i % 256, i // 256 % 256, i // 65536]): i for i in range(n)}',
  'dict of pairs': 'dict([(i, i) for i in range(n)])',
  'dict of keywords': 'dict(**{str(i): i for i in range(n)})',
  'struct of keywords': 'struct(**{str(i): i for i in range(n)})',
  'keywords of a call': 'keywords(**{str(i): i for i in range(n)})',
  'arguments of a call': 'variadic(*range(n))',
  'repeated text': '"ab" * n',
  'repeated wide text': 'wide * n',
  'repeated list': '[0] * n',
  'repeated bytes': 'b"ab" * n',
  'repr of a list': 'repr([0] * n)',
  'repr of a dict': 'repr({i: i for i in range(n)})',
  'repr of a set': 'repr(set(range(n)))',
  'repr of text to escape': 'repr("\\n" * n)',
  'repr of wide text': 'repr("é日" * n)',
  'repr of bytes': 'repr(b"\\xff" * n)',
  'str of bytes': 'str(b"\\xff" * n)',
  'printed list': 'print([0] * n)',
  'text %': '("%s," * n) % (("ab",) * n)',
  'text.format': '("{}," * n).format(*(["ab"] * n))',
  'text.format of one': '("{0}" * n).format("a")',
  'text.join': '", ".join(["ab"] * n)',
  'text.replace': '("ab" * n).replace("a", "xyz")',
  'text.replace of nothing': '("a" * n).replace("", "-")',
  'text.split': '("ab," * n).split(",")',
  'text.split at spaces': '("abcdefghijklmno " * n).split()',
  'text.rsplit': '("ab," * n).rsplit(",", n)',
  'text.splitlines': '("ab\\n" * n).splitlines()',
  'text.upper': '("ab" * n).upper()',
  'text.upper that lengthens': '("ß" * n).upper()',
  'text.title': '("ab " * n).title()',
  'text.elems': 'list(("日本" * n).elems())',
  'text.codepoints': 'list(("😀" * n).codepoints())',
  'text.strip by many': '("ab" * n).strip("".join([chr(i) for i in range(0x4e00, 0x9000)]))',
  'text backwards': '("ab" * n)[::-1]',
  'text of a rope': '"".join([str(i) + "abcdefghijklm" for i in range(n)])',
  'list backwards': 'list(range(n))[::-1]',
  'bytes backwards': '(b"ab" * n)[::-1]',
  'bytes of a list': 'bytes([1] * n)',
  zip: 'zip(range(n), range(n))',
  enumerate: 'enumerate(range(n))',
  reversed: 'reversed(range(n))',
  sorted: 'sorted(range(n), reverse = True)',
  'sorted by key': 'sorted(range(n), key = lambda x: -x)',
  'sorted texts': 'sorted([str(-i) for i in range(n)])',
  'sorted tuples': 'sorted([(i % 7, -i) for i in range(n)])',
  max: 'max(range(n))',
  'dict.items': '{i: i for i in range(n)}.items()',
  'dict copied': 'dict({i: i for i in range(n)})',
  'dict |': '{i: i for i in range(n)} | {-1: 1}',
  'set |': 'set(range(n)) | set([-1])',
  'set.union': 'set().union(range(n), range(n))',
  'set.symmetric_difference': 'set(range(n)).symmetric_difference(range(n, 2 * n))',
  'json.encode': 'json.encode([0] * n)',
  'json.encode of a dict': 'json.encode({str(i): i for i in range(n)})',
  'json.encode_indent': 'json.encode_indent([0] * n)',
  'json.decode': 'json.decode("[" + "0," * n + "0]")',
  'json.decode of floats': 'json.decode("[" + "0.5," * n + "0]")',
  'json.decode of texts': 'json.decode("[" + "\\"abc\\"," * n + "0]")',
  'json.decode of escapes': 'json.decode("\\"" + "\\\\n" * n + "\\"")',
  'json.decode of objects': 'json.decode("[" + "{\\"a\\": 1}," * n + "0]")',
  'json.indent': 'json.indent("[" + "0," * n + "0]")',
  're.findall': 're.findall("a", "ab" * n)',
  're.findall of texts': 're.findall("[abc]+", "abc " * n)',
  're.split': 're.split(",", "ab," * n)',
  're.replace': 're.replace("a", "xyz", "ab" * n)',
  'payload, floats read': 'read(payload["many_floats"])',
  'payload, objects read': 'read(payload["many_objects"])',
  'payload, object copied': 'dict(payload["wide_object"])',
};
