// Invented answers in the shapes that real ones have.

extension RecognitionCase {
  static let styles = [
    RecognitionCase(
      "a page number from 1, and a total", "/shops?page=1&per_page=2",
      #"{"total":5,"list":[{"id":1},{"id":2}],"page":1}"#,
      #"page query:page from 1 size query:per_page=2 | items "/list" id "/id" | total /total, page /page"#),
    RecognitionCase(
      "a page number from 0, and a last flag", "/users?page=0&size=2",
      #"{"content":[{"id":1},{"id":2}],"totalPages":2,"totalElements":3,"last":false,"number":0,"size":2}"#,
      #"page query:page from 0 size query:size=2 | items "/content" id "/id" | total /totalElements, pageCount /totalPages, page /number, isLast /last"#
    ),
    RecognitionCase(
      "a page number by form, and a page count inside", "/notice/list", content: "sid=7&page=1&pageSize=2",
      #"{"code":0,"data":{"data":[{"id":11},{"id":12}],"page":1,"pageCount":52}}"#,
      #"page form:page from 1 size form:pageSize=2 | items "/data/data" id "/id" | pageCount /data/pageCount, page /data/page"#
    ),
    RecognitionCase(
      "a page number in JSON", "/find", content: #"{"filter":{"a":1},"pageNum":1,"pageSize":2}"#,
      #"{"code":200,"rows":[{"userId":1},{"userId":2}],"total":9}"#,
      #"likely | page json:/pageNum from 1 size json:/pageSize=2 | items "/rows" id "/userId" | total /total"#
    ),
    RecognitionCase(
      "a page number and a has-more flag", "/questions?page=1&pagesize=2",
      #"{"has_more":true,"page":1,"items":[{"question_id":7},{"question_id":8}]}"#,
      #"page query:page from 1 size query:pagesize=2 | items "/items" id "/question_id" | page /page, hasMore /has_more"#
    ),
    RecognitionCase(
      "a page number, and a bare array", "/topics?p=1", #"[{"id":1},{"id":2}]"#,
      #"page query:p from 1 | items "" id "/id""#),
    RecognitionCase(
      "a page number, and totals in the header", "/products?page=1&per_page=2",
      fields: [("X-WP-Total", "12"), ("X-WP-TotalPages", "6")], #"[{"id":1},{"id":2}]"#,
      #"page query:page from 1 size query:per_page=2 | items "" id "/id" | total header:X-WP-Total, pageCount header:X-WP-TotalPages"#
    ),
    RecognitionCase(
      "a page number in the path, which the answer counts from 1", "/article/list/0/json",
      #"{"data":{"curPage":1,"datas":[{"id":1},{"id":2}],"over":false,"pageCount":3,"total":6},"errorCode":0}"#,
      #"page path:/article/list/{}/json from 0 | items "/data/datas" id "/id" | total /data/total, pageCount /data/pageCount, isLast /data/over"#
    ),
    RecognitionCase(
      "a page number that only the answer names, beside a shared page size", "/countries?per_page=2",
      #"[{"page":1,"pages":7,"per_page":2,"total":13},[{"id":"A"},{"id":"B"}]]"#,
      #"page query:page from 1 size query:per_page=2 | items "/1" id "/id" | total /0/total, pageCount /0/pages, page /0/page"#
    ),
    RecognitionCase(
      "a page number that only the answer names", "/tracks",
      #"{"tracks":{"track":[{"url":"/a"},{"url":"/b"}],"attr":{"page":"1","totalPages":"3","total":"5"}}}"#,
      #"likely | page query:page from 1 | items "/tracks/track" id "/url" | total /tracks/attr/total, pageCount /tracks/attr/totalPages, page /tracks/attr/page"#
    ),
    RecognitionCase(
      "an offset and a total", "/search?startAt=0&maxResults=2",
      #"{"startAt":0,"maxResults":2,"total":5,"issues":[{"id":"1","key":"A-1"},{"id":"2","key":"A-2"}]}"#,
      #"offset query:startAt from 0 size query:maxResults=2 | items "/issues" id "/id" | total /total"#),
    RecognitionCase(
      "an offset, and nothing said", "/rest/bug?limit=2&offset=0", #"{"bugs":[{"id":1},{"id":2}]}"#,
      #"offset query:offset from 0 size query:limit=2 | items "/bugs" id "/id""#),
    RecognitionCase(
      "a search engine's hits", "/notes/_search",
      #"{"_shards":{"total":3},"hits":{"total":{"value":5,"relation":"eq"},"hits":[{"_id":"a"},{"_id":"b"}]}}"#,
      #"offset query:from from 0 | items "/hits/hits" id "/_id" | total /hits/total"#),
    RecognitionCase(
      "a token whose parameter is sent", "/things?limit=2&cursor=",
      #"{"things":[{"id":"a"},{"id":"b"}],"meta":{"next_cursor":"bmV4dA=="}}"#,
      #"token query:cursor | items "/things" id "/id" | next /meta/next_cursor"#),
    RecognitionCase(
      "a token that begins with a star", "/works?cursor=*",
      #"{"message":{"next-cursor":"abc","total-results":9,"items":[{"DOI":"x/1"},{"DOI":"x/2"}]}}"#,
      #"token query:cursor first * | items "/message/items" id "/DOI" | total /message/total-results, next /message/next-cursor"#
    ),
    RecognitionCase(
      "a page token", "/files?pageSize=2", #"{"nextPageToken":"~x","files":[{"id":"a"},{"id":"b"}]}"#,
      #"token query:pageToken | items "/files" id "/id" | next /nextPageToken"#),
    RecognitionCase(
      "a token by JSON", "/", content: #"{"limit":2}"#,
      #"{"groups":[{"arn":"a:1"},{"arn":"a:2"}],"nextToken":"t+1"}"#,
      #"token json:/nextToken | items "/groups" id "/arn" | next /nextToken"#),
    RecognitionCase(
      "a key by JSON", "/", content: #"{"TableName":"t"}"#,
      #"{"Items":[{"id":{"S":"a"},"uid":"u1"},{"id":{"S":"b"},"uid":"u2"}],"Count":2,"LastEvaluatedKey":{"id":{"S":"b"}}}"#,
      #"token json:/ExclusiveStartKey | items "/Items" id "/uid" | next /LastEvaluatedKey"#),
    RecognitionCase(
      "a token in the header", "/addons", fields: [("Next-Range", "]b..; max=2")],
      #"[{"id":"a"},{"id":"b"}]"#,
      #"token header:Range | items "" id "/id" | next header:Next-Range"#),
    RecognitionCase(
      "a token whose parameter is not known for certain", "/disputes",
      #"{"cursor":"G1a","disputes":[{"id":"a"},{"id":"b"}]}"#,
      #"likely | token query:cursor | items "/disputes" id "/id" | next /cursor"#),
    RecognitionCase(
      "a continue token", "/api/v1/pods?limit=2",
      #"{"kind":"PodList","metadata":{"continue":"eyJ"},"items":[{"metadata":{"uid":"a"}},{"metadata":{"uid":"b"}}]}"#,
      #"token query:continue | items "/items" id "/metadata/uid" | next /metadata/continue"#),
    RecognitionCase(
      "a continue object", "/w/api.php?list=allpages&aplimit=2",
      #"{"continue":{"apcontinue":"K","continue":"-||"},"query":{"allpages":[{"pageid":1},{"pageid":2}]}}"#,
      #"token members in query | items "/query/allpages" id "/pageid" | next /continue"#),
    RecognitionCase(
      "an offset that is the next one's", "/lists?count=2&offset=0",
      #"{"lists":[{"listId":1},{"listId":2}],"offset":2,"has-more":true}"#,
      #"token query:offset first 0 | items "/lists" id "/listId" | hasMore /has-more, next /offset"#),
    RecognitionCase(
      "a time that is sent back", "/feed?a=newlist&maxtime=",
      #"{"info":{"maxtime":"1526","count":2000,"page":100},"list":[{"id":"9"},{"id":"8"}]}"#,
      #"token query:maxtime | items "/list" id "/id" | next /info/maxtime"#),
    RecognitionCase(
      "a Link field", "/issues?per_page=2",
      fields: [("Link", #"<https://api.example.com/issues?per_page=2&page=2>; rel="next""#)],
      #"[{"id":1},{"id":2}]"#, #"link | items "" id "/id""#),
    RecognitionCase(
      "a next URL", "/accounts/?limit=2",
      #"{"count":9,"next":"https://api.example.com/accounts/?limit=2&offset=2","previous":null,"results":[{"id":1},{"id":2}]}"#,
      #"nextURL | items "/results" id "/id" | total /count, next /next"#),
    RecognitionCase(
      "a relative next URL in links", "/customers",
      #"{"_embedded":{"customers":[{"id":"a"},{"id":"b"}]},"count":2,"_links":{"next":{"href":"/customers?from=c"}}}"#,
      #"nextURL | items "/_embedded/customers" id "/id" | next /_links/next/href"#),
    RecognitionCase(
      "a next URL in an array of links", "/Patient?_count=2",
      #"{"total":3,"link":[{"relation":"self","url":"/Patient"},{"relation":"next","url":"/Patient?c=2"}],"entry":[{"resource":{"id":"1"}},{"resource":{"id":"2"}}]}"#,
      #"nextURL | items "/entry" id "/resource/id" | total /total, next /link[relation=next]/url"#),
    RecognitionCase(
      "a next URL that is a query", "/search?q=x&count=2",
      #"{"statuses":[{"id":5},{"id":4}],"search_metadata":{"next_results":"?max_id=3&q=x","count":2}}"#,
      #"nextURL | items "/statuses" id "/id" | next /search_metadata/next_results"#),
    RecognitionCase(
      "a next URL at a sister host", "/v1/builds?limit=2",
      #"{"data":[{"id":"1"},{"id":"2"}],"links":{"next":"https://www.example.com/v1/builds?cursor=C"}}"#,
      #"likely | nextURL ["www.example.com"] | items "/data" id "/id" | next /links/next"#),
    RecognitionCase(
      "a next URL that is always there, and a flag that ends", "/answers?limit=2&offset=2",
      #"{"data":[{"id":3}],"paging":{"is_end":true,"next":"http://api.example.com/answers?offset=4","totals":3}}"#,
      #"nextURL | items "/data" id "/id" | total /paging/totals, isLast /paging/is_end, next /paging/next"#),
    RecognitionCase(
      "keys of objects that call themselves a list", "/v1/customers?limit=2",
      #"{"object":"list","url":"/v1/customers","has_more":true,"data":[{"id":"c1"},{"id":"c2"}]}"#,
      #"keyset query:starting_after key /id step 0 | items "/data" id "/id" | hasMore /has_more"#),
    RecognitionCase(
      "keys counted on from the last one", "/getUpdates?offset=319280318&limit=2",
      #"{"ok":true,"result":[{"update_id":319280318},{"update_id":319280319}]}"#,
      #"keyset query:offset key /update_id step 1 | items "/result" id "/update_id""#),
    RecognitionCase(
      "ids as numbers and as texts, as many as were asked for", "/timeline?count=2",
      #"[{"id":50,"id_str":"50"},{"id":48,"id_str":"48"}]"#,
      #"likely | keyset query:max_id key /id step -1 | items "" id "/id""#),
    RecognitionCase(
      "a flag that only one product has, in the last item", "/changes/?n=2",
      #"[{"_number":5,"subject":"a"},{"_number":4,"subject":"b","_more_changes":true}]"#,
      #"likely | offset query:S from 0 size query:n=2 | items "" id "/_number" | hasMore item:/_more_changes"#
    ),
    RecognitionCase(
      "keys no greater than the one sent", "/timeline?max_id=50&count=2", #"[{"id":50},{"id":48}]"#,
      #"keyset query:max_id key /id step 0 | items "" id "/id""#),
    RecognitionCase(
      "a GraphQL connection", "/graphql",
      content:
        #"{"query":"query($c:String){repo{issues(first:2,after: $c){nodes{id} pageInfo{endCursor hasNextPage}}}}"}"#,
      #"{"data":{"repo":{"issues":{"totalCount":9,"nodes":[{"id":"a"},{"id":"b"}],"pageInfo":{"hasNextPage":true,"endCursor":"Y"}}}}}"#,
      #"graphql /data/repo/issues after json:/variables/c | items "/data/repo/issues/nodes" id "/id" | total /data/repo/issues/totalCount"#
    ),
    RecognitionCase(
      "a GraphQL connection of edges", "/graphql",
      content:
        #"{"query":"query($a:String){items(first:2,after:$a){edges{cursor node{id}}}}","variables":{"a":null}}"#,
      #"{"data":{"items":{"edges":[{"cursor":"1","node":{"id":"a"}},{"cursor":"2","node":{"id":"b"}}],"pageInfo":{"hasNextPage":true,"endCursor":"2"}}}}"#,
      #"graphql /data/items after json:/variables/a | items "/data/items/edges" each /node id "/id""#),
    RecognitionCase(
      "all there is", "/topics/hot", #"[{"id":1},{"id":2},{"id":3}]"#, #"whole | items "" id "/id""#),
    RecognitionCase(
      "all there is, as the total says", "/projects",
      #"{"projects":[{"id":"a"},{"id":"b"}],"meta":{"total":2}}"#,
      #"whole | items "/projects" id "/id" | total /meta/total"#),
    RecognitionCase(
      "a value a line, and a last one that tells", "/stream",
      "{\"number\":1,\"subject\":\"a\"}\n{\"number\":2,\"subject\":\"b\"}\n{\"type\":\"stats\",\"moreChanges\":false}\n",
      #"whole | items "" lines, trailers 1 id "/number" | hasMore /moreChanges"#),
  ]

  static let shapes = [
    RecognitionCase(
      "an object of objects, and their order", "/posts?page=0&per_page=2",
      #"{"order":["b","a"],"posts":{"a":{"id":"a","text":"x"},"b":{"id":"b","text":"y"}}}"#,
      #"page query:page from 0 size query:per_page=2 | items "/posts" order /order id key"#),
    RecognitionCase(
      "an array whose keys became indices", "/rows?page=2",
      #"{"data":{"2":{"id":3},"4":{"id":5}},"total":4,"current_page":2,"last_page":2}"#,
      #"page query:page from 1 | items "/data" id "/id" | total /total, pageCount /last_page, page /current_page"#
    ),
    RecognitionCase(
      "one object instead of an array of one", "/tracks",
      #"{"loved":{"track":{"url":"/a","name":"x","image":[{"size":"s"}]},"@attr":{"total":"1","page":"1","totalPages":"1"}}}"#,
      #"likely | whole | items "/loved/track" id "/url" | total /loved/@attr/total, pageCount /loved/@attr/totalPages, page /loved/@attr/page"#
    ),
    RecognitionCase(
      "null instead of an empty array", "/list", content: #"{"cursor":"0"}"#,
      #"{"err_no":0,"err_msg":"success","data":null,"cursor":"0","count":0,"has_more":false}"#,
      #"whole | items "/data" id none | total /count, hasMore /has_more"#),
    RecognitionCase(
      "strings", "/followers/ids?cursor=-1",
      #"{"ids":["1","2","3"],"next_cursor":"13","previous_cursor":"0"}"#,
      #"token query:cursor first -1 | items "/ids" id "" | next /next_cursor"#),
    RecognitionCase(
      "rows of cells", "/rows?start=0&length=2",
      #"{"recordsTotal":57,"recordsFiltered":57,"data":[["A",1],["B",2]]}"#,
      #"likely | offset query:start from 0 size query:length=2 | items "/data" id "/0" | total /recordsFiltered"#
    ),
    RecognitionCase(
      "JSONP", "/list?page=1", #"cb({"list":[{"id":1},{"id":2}],"total":5});"#,
      #"page query:page from 1 | items "/list" id "/id" | total /total"#),
    RecognitionCase(
      "a guard against scripts", "/list?page=1", ")]}'\n[{\"id\":1},{\"id\":2}]",
      #"page query:page from 1 | items "" id "/id""#),
    RecognitionCase(
      "errors, links and side arrays beside the items", "/apps?page=1",
      #"{"errors":[],"included":[{"id":"i"}],"links":[],"data":[{"id":"a"},{"id":"b"}],"warnings":[]}"#,
      #"page query:page from 1 | items "/data" id "/id""#),
    RecognitionCase(
      "a map in order beside what is called items", "/x",
      #"{"names":["b","a"],"users":{"a":{"id":1,"n":1},"b":{"id":2,"n":2}},"items":[{"id":1},{"id":2}]}"#,
      #"whole | items "/items" id "/id""#),
    RecognitionCase(
      "one object that the path asks for by its id", "/table/incident/9c57",
      #"{"result":{"sys_id":"9c57","number":"INC1"}}"#, #"likely | whole | items "/result" id "/sys_id""#),
    RecognitionCase(
      "null as the result, and no word of a failure", "/query?q=x", #"{"query":"x","result":null,"ms":3}"#,
      "empty"),
    RecognitionCase(
      "a result of nothing but counts of 0", "/songs?s=x", #"{"result":{"songCount":0},"code":200}"#, "empty"),
    RecognitionCase("an empty object", "/jobs", "{}", "empty"),
    RecognitionCase("null", "/jobs", "null", "empty"),
    RecognitionCase(
      "a total of 0, and no array", "/songs", #"{"result":{"total":0},"code":200}"#, "empty"),
    RecognitionCase(
      "an empty page behind the last one", "/users?next_id=9", #"{"total":2300,"count":0,"next_id":""}"#,
      "empty"),
    RecognitionCase(
      "an object twice, the first time with a map twice and the second with an array", "/x?page=1",
      #"{"a":{"z":1,"m":{"1":{},"2":{}},"m":{"1":{},"2":{}}},"a":{"z":1,"m":[]}}"#,
      #"page query:page from 1 | items "/a/m" id none"#),
    RecognitionCase(
      "a map, and an array that orders but some of it", "/posts?page=0",
      #"{"order":["b"],"posts":{"a":{"id":"a","text":"x"},"b":{"id":"b","text":"y"}}}"#,
      #"page query:page from 0 | items "/posts" id "/id""#),
    RecognitionCase(
      "an empty array", "/products?ids=0", #"{"products":[]}"#, #"whole | items "/products" id none"#),
  ]

  static let counts = [
    RecognitionCase(
      "a count of the page with a next URL", "/customers",
      #"{"customers":[{"id":"a"},{"id":"b"}],"count":2,"next":"/customers?from=c"}"#,
      #"nextURL | items "/customers" id "/id" | next /next"#),
    RecognitionCase(
      "a count that is the size asked for", "/subjects?start=0&count=6",
      #"{"count":6,"start":0,"subjects":[{"id":"a"},{"id":"b"}]}"#,
      #"offset query:start from 0 size query:count=6 | items "/subjects" id "/id""#),
    RecognitionCase(
      "a total less than the items", "/rows?page=1", #"{"total":1,"rows":[{"id":"a"},{"id":"b"}]}"#,
      #"page query:page from 1 | items "/rows" id "/id""#),
    RecognitionCase(
      "shards", "/rows?page=1", #"{"_shards":{"total":9},"rows":[{"id":"a"},{"id":"b"}]}"#,
      #"page query:page from 1 | items "/rows" id "/id""#),
    RecognitionCase(
      "a number of the next page behind the last", "/list?page=5",
      #"{"count":97,"total":97,"next_page":6,"total_page":5,"list":[{"uid":1}]}"#,
      #"page query:page from 1 | items "/list" id "/uid" | total /total, pageCount /total_page"#),
    RecognitionCase(
      "a number of the next page", "/posts?_page=1&_per_page=2",
      #"{"first":1,"prev":null,"next":2,"last":3,"pages":3,"items":5,"data":[{"id":"1"},{"id":"2"}]}"#,
      #"page query:_page from 1 size query:_per_page=2 | items "/data" id "/id" | total /items, pageCount /pages"#
    ),
    RecognitionCase(
      "another's id", "/posts?page=1", #"[{"user_id":1,"title":"a"},{"user_id":2,"title":"b"}]"#,
      #"likely | page query:page from 1 | items "" id "/user_id""#),
    RecognitionCase(
      "another's id beside the item's own", "/posts?page=1",
      #"[{"user_id":1,"postId":"a"},{"user_id":2,"postId":"b"}]"#,
      #"page query:page from 1 | items "" id "/postId""#),
    RecognitionCase(
      "an id that comes twice", "/posts?page=1", #"[{"id":1},{"id":1}]"#,
      #"page query:page from 1 | items "" id none"#
    ),
  ]

  static let refusals = [
    RecognitionCase(
      "a code and a message", "/l", #"{"code":1001,"message":"no","data":null}"#, "refused 1001: no"),
    RecognitionCase("a code that HTTP has too", "/l", #"{"code":401,"msg":"log in"}"#, "refused 401: log in"),
    RecognitionCase(
      "an error number", "/l", #"{"errcode":40001,"errmsg":"bad token"}"#, "refused 40001: bad token"),
    RecognitionCase(
      "an error number as text", "/l", #"{"error_code":"20502","error":"no uid"}"#, "refused 20502: no uid"),
    RecognitionCase("false", "/l", #"{"ok":false,"error":"not_authed"}"#, "refused not_authed: not_authed"),
    RecognitionCase(
      "a flag as text", "/l", #"{"Response":"False","Error":"Not found!"}"#, "refused Not found!: Not found!"),
    RecognitionCase(
      "an error object", "/l", #"{"error":{"code":498,"message":"bad","details":[]}}"#, "refused 498: bad"),
    RecognitionCase(
      "an error object beside an empty list", "/l", #"{"data":[],"error":{"code":1,"message":"bad"}}"#,
      "refused 1: bad"),
    RecognitionCase(
      "an error text beside an empty list", "/l?draw=1",
      #"{"draw":1,"recordsTotal":0,"data":[],"error":"SQL"}"#,
      "refused SQL: SQL"),
    RecognitionCase(
      "a failed status", "/l", #"{"stat":"fail","code":100,"message":"key"}"#, "refused 100: key"),
    RecognitionCase(
      "a status in capitals beside an empty list", "/l", #"{"results":[],"status":"OVER_QUERY_LIMIT"}"#,
      "refused OVER_QUERY_LIMIT: OVER_QUERY_LIMIT"),
    RecognitionCase(
      "a status of 0 that comes with a failure's words", "/l",
      #"{"status":"0","info":"DAILY_LIMIT","infocode":"10003"}"#,
      "refused 10003: DAILY_LIMIT"),
    RecognitionCase(
      "a message that is called error", "/l", #"{"message":"error","data":{"description":"bad"}}"#,
      "refused error: bad"),
    RecognitionCase(
      "errors of GraphQL", "/graphql", content: #"{"query":"{a}"}"#, #"{"errors":[{"message":"parse"}]}"#,
      "refused -: parse"),
    RecognitionCase(
      "errors as rows", "/l", #"{"json":{"errors":[["USER","Please log in",null]]}}"#,
      "refused -: Please log in"),
    RecognitionCase(
      "nothing but a message", "/l", #"[{"message":[{"id":"120","value":"bad"}]}]"#, "refused -: bad"),
    RecognitionCase("true as an error", "/l", #"{"error":true,"msg":"count"}"#, "refused -: count"),
    RecognitionCase(
      "a message in a success", "/l?page=1", #"{"message":"Monday music","items":[{"id":1},{"id":2}]}"#,
      #"page query:page from 1 | items "/items" id "/id""#),
    RecognitionCase(
      "a status without results", "/l?page=1", #"{"results":[],"status":"ZERO_RESULTS"}"#,
      #"page query:page from 1 | items "/results" id none"#),
    RecognitionCase(
      "a code of one's own beside items", "/l?page=1", #"{"status":100,"data":[{"id":1},{"id":2}]}"#,
      #"page query:page from 1 | items "/data" id "/id""#),
  ]

  /// What is expected is a part of what has to be declared.
  static let doubts = [
    RecognitionCase("markup", "/feed", "<rss/>", "XML or HTML"),
    RecognitionCase("no JSON", "/feed", #"{"a":"#, "not JSON"),
    RecognitionCase("two arrays", "/x", #"{"top":[{"id":1}],"new":[{"id":2}]}"#, "items.at"),
    RecognitionCase(
      "an object of arrays", "/x", #"{"results":{"a":[{"id":1}],"b":[{"id":2}]}}"#, "items.shape"),
    RecognitionCase(
      "one thing and its parts", "/users/7",
      #"{"id":7,"name":"a","city":"b","zip":"c","pets":[{"id":1},{"id":2}]}"#, "items.at"),
    RecognitionCase(
      "a count of 0 that is no total", "/users/7", #"{"id":7,"likeCount":0,"discount":0}"#,
      "looks like a list"),
    RecognitionCase(
      "a total beside a count of 0", "/x", #"{"total":5,"count":0,"message":"later"}"#, "looks like a list"),
    RecognitionCase(
      "more places than are looked through", "/x",
      "{\((0..<5_000).map { #""k\#($0)":[{"id":1}]"# }.joined(separator: ","))}", "too many places"),
    RecognitionCase(
      "more objects than are looked through", "/x",
      "{\((0..<1_000).map { #""k\#($0)":{"v\#($0)":1}"# }.joined(separator: ","))}", "too many places"),
    RecognitionCase(
      "null as the data, and words beside it", "/x", #"{"data":null,"info":"try later"}"#, "items.at"),
    RecognitionCase(
      "a result that counts failures", "/jobs/7", #"{"result":{"errorCount":0},"code":200}"#,
      "looks like a list"),
    RecognitionCase(
      "one object that the path does not ask for", "/users/8", #"{"data":{"id":"7","name":"a"}}"#,
      "looks like a list"),
    RecognitionCase("one thing", "/users/7", #"{"id":7,"name":"a"}"#, "looks like a list"),
    RecognitionCase("a text", "/x", #""text""#, "looks like a list"),
    RecognitionCase(
      "a total beyond the page, and no way on", "/x?rows=2", #"{"total":9,"items":[{"id":1},{"id":2}]}"#,
      "declare paging"),
    RecognitionCase(
      "a flag, and no way on", "/history", #"{"has_more":true,"messages":[{"ts":"1"},{"ts":"2"}]}"#,
      "more follow"),
    RecognitionCase(
      "a token, and no parameter by habit", "/x?limit=1",
      #"{"lasttime":1503,"more":true,"items":[{"id":1}]}"#, "not where it is sent"),
    RecognitionCase(
      "as many items as a page would hold", "/x",
      "[\((1...20).map { #"{"id":\#($0)}"# }.joined(separator: ","))]", "as many as a page may hold"),
    RecognitionCase("as many items as were asked for", "/x?limit=2", #"[{"id":1},{"id":2}]"#, "asks for 2"),
    RecognitionCase(
      "a next URL at a stranger", "/x", #"{"next":"https://evil.test/x?page=2","items":[{"id":1}]}"#,
      "evil.test"),
    RecognitionCase(
      "an unknown code, and an empty list", "/x?page=1", #"{"code":5,"data":[]}"#, "declare refused"),
    RecognitionCase(
      "an error beside items", "/x?page=1", #"{"error":"half","data":[{"id":1}]}"#, "declare refused"),
  ]
}
