/// What somebody who configures an API knows of it beyond one answer: how it says no, and how it pages where that does
/// not show.
struct SampleAPI: Sendable {
  /// `refused` without its `code`, `message` and `cases`: such as `"when": "/code", "is_not": 0`; nil where only a
  /// status says no.
  var when: String?
  var code: String?
  var message: [String] = []
  var cases: [String: String] = [:]

  /// Each by the folder of its recordings.
  static let all: [String: SampleAPI] = [
    "amap": SampleAPI(
      when: #""when":"/status","is":0"#, code: "/infocode", message: ["/info"],
      cases: ["10003": "rate_limited"]),
    "app-store-connect": SampleAPI(code: "/errors/0/code", message: ["/errors/0/detail"]),
    "arcgis": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/code", message: ["/error/message"],
      cases: ["498": "session_expired"]),
    "asana": SampleAPI(message: ["/errors/0/message"]),
    "aws-json": SampleAPI(
      code: "/__type", message: ["/message", "/Message"],
      cases: ["ThrottlingException": "rate_limited", "ExpiredTokenException": "session_expired"]),
    "bilibili": SampleAPI(when: #""when":"/code","is_not":0"#, message: ["/message"]),
    "bitbucket-cloud": SampleAPI(
      when: #""when":"/type","is":"error""#, code: "/error/id", message: ["/error/message"]),
    "bitbucket-server": SampleAPI(code: "/errors/0/exceptionName", message: ["/errors/0/message"]),
    "bugzilla": SampleAPI(when: #""when":"/error","is":true"#, code: "/code", message: ["/message"]),
    "cnode": SampleAPI(when: #""when":"/success","is":false"#, code: "/code", message: ["/error_msg"]),
    "contentful": SampleAPI(
      when: #""when":"/sys/type","is":"Error""#, code: "/sys/id", message: ["/message"],
      cases: ["RateLimitExceeded": "rate_limited"]),
    "crossref": SampleAPI(
      when: #""when":"/status","is":"failed""#, code: "/message/0/type", message: ["/message/0/message"]),
    "datatables": SampleAPI(when: #""when":"/error","present":true"#, message: ["/error"]),
    "digitalocean": SampleAPI(code: "/id", message: ["/message"]),
    "douban": SampleAPI(
      when: #""when":"/code","present":true"#, message: ["/msg"], cases: ["112": "rate_limited"]),
    "drf": SampleAPI(message: ["/detail"]),
    "elasticsearch": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/type", message: ["/error/root_cause/0/reason"]),
    "etsy": SampleAPI(message: ["/error"]),
    "facebook": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/code", message: ["/error/message"],
      cases: ["190": "session_expired"]),
    "fhir": SampleAPI(
      when: #""when":"/resourceType","is":"OperationOutcome""#, code: "/issue/0/code",
      message: ["/issue/0/diagnostics"]),
    "flickr": SampleAPI(when: #""when":"/stat","is":"fail""#, code: "/code", message: ["/message"]),
    "flurry": SampleAPI(when: #""when":"/code","present":true"#, message: ["/message"]),
    "gank": SampleAPI(when: #""when":"/error","is":true"#, code: "/code", message: ["/msg"]),
    "github": SampleAPI(message: ["/message"]),
    "github-graphql": SampleAPI(
      when: #""when":"/errors","present":true"#, code: "/errors/0/type",
      message: ["/errors/0/message", "/message"]),
    "gitlab": SampleAPI(message: ["/message", "/error"]),
    "google-drive": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/errors/0/reason", message: ["/error/message"],
      cases: ["userRateLimitExceeded": "rate_limited"]),
    "google-places": SampleAPI(
      when: #""when":"/status","not_in":["OK","ZERO_RESULTS"]"#, message: ["/error_message", "/status"],
      cases: ["OVER_QUERY_LIMIT": "rate_limited"]),
    "heroku": SampleAPI(code: "/id", message: ["/message"]),
    "hubspot": SampleAPI(
      when: #""when":"/status","is":"error""#, code: "/errorType", message: ["/message"],
      cases: ["RATE_LIMIT": "rate_limited"]),
    "intercom": SampleAPI(code: "/errors/0/code", message: ["/errors/0/message"]),
    "juejin": SampleAPI(when: #""when":"/err_no","is_not":0"#, message: ["/err_msg"]),
    "juhe": SampleAPI(
      when: #""when":"/error_code","is_not":0"#, message: ["/reason"], cases: ["10012": "rate_limited"]),
    "kubernetes": SampleAPI(
      when: #""when":"/status","is":"Failure""#, code: "/reason", message: ["/message"],
      cases: ["Expired": "cursor_expired"]),
    "laravel": SampleAPI(message: ["/message"]),
    "lastfm": SampleAPI(when: #""when":"/error","present":true"#, message: ["/message"]),
    "mastodon": SampleAPI(message: ["/error"]),
    "mattermost": SampleAPI(code: "/id", message: ["/message"]),
    "mediawiki": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/code", message: ["/error/info"]),
    "meituan": SampleAPI(when: #""when":"/status","is_not":0"#, code: "/code", message: ["/msg"]),
    "mollie": SampleAPI(message: ["/detail"]),
    "nasa-images": SampleAPI(code: "/error/code", message: ["/reason", "/error/message"]),
    "netease-music": SampleAPI(when: #""when":"/code","is_not":200"#, message: ["/message", "/msg"]),
    "notion": SampleAPI(when: #""when":"/object","is":"error""#, code: "/code", message: ["/message"]),
    "odata-json": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/code", message: ["/error/message"],
      cases: ["InvalidAuthenticationToken": "session_expired"]),
    "omdb": SampleAPI(when: #""when":"/Response","is":"False""#, message: ["/Error"]),
    "pagehelper": SampleAPI(
      when: #""when":"/code","not_in":[0,200]"#, message: ["/message", "/msg"],
      cases: ["401": "session_expired"]),
    "phabricator": SampleAPI(when: #""when":"/error_code","present":true"#, message: ["/error_info"]),
    "reddit": SampleAPI(
      when: #""when":"/json/errors","present":true"#, code: "/json/errors/0/0",
      message: ["/json/errors/0/1", "/message"]),
    "rick-and-morty": SampleAPI(when: #""when":"/error","present":true"#, code: "/code", message: ["/error"]),
    "salesforce": SampleAPI(
      code: "/0/errorCode", message: ["/0/message"], cases: ["INVALID_SESSION_ID": "session_expired"]),
    "sanity": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/type", message: ["/error/description"]),
    "servicenow": SampleAPI(
      when: #""when":"/status","is":"failure""#, code: "/code", message: ["/error/message"]),
    "shopify": SampleAPI(message: ["/errors/page", "/errors"]),
    "slack": SampleAPI(when: #""when":"/ok","is":false"#, code: "/error", message: ["/error"]),
    "soundcloud": SampleAPI(message: ["/errors/0/error_message"]),
    "spotify": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/reason", message: ["/error/message"]),
    "spring-page": SampleAPI(message: ["/message", "/error"]),
    "square": SampleAPI(
      when: #""when":"/errors","present":true"#, code: "/errors/0/code", message: ["/errors/0/detail"]),
    "stackexchange": SampleAPI(
      when: #""when":"/error_id","present":true"#, code: "/error_name", message: ["/error_message"],
      cases: ["throttle_violation": "rate_limited"]),
    "strapi": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/name", message: ["/error/message"]),
    "stripe": SampleAPI(code: "/error/type", message: ["/error/message"]),
    "telegram": SampleAPI(when: #""when":"/ok","is":false"#, code: "/error_code", message: ["/description"]),
    "tmdb": SampleAPI(
      when: #""when":"/success","is":false"#, code: "/status_code", message: ["/status_message"]),
    "toutiao": SampleAPI(
      when: #""when":"/message","is_not":"success""#, code: "/data/name", message: ["/data/description"]),
    "twilio": SampleAPI(code: "/code", message: ["/message"]),
    "twitter-v1": SampleAPI(code: "/errors/0/code", message: ["/errors/0/message"]),
    "v2ex": SampleAPI(when: #""when":"/success","is":false"#, code: "/code", message: ["/message"]),
    "wanandroid": SampleAPI(
      when: #""when":"/errorCode","is_not":0"#, message: ["/errorMsg"], cases: ["-1001": "session_expired"]),
    "wechat": SampleAPI(
      when: #""when":"/errcode","present":true"#, message: ["/errmsg"], cases: ["40001": "session_expired"]),
    "weibo": SampleAPI(
      when: #""when":"/error_code","present":true"#, message: ["/error"], cases: ["10023": "rate_limited"]),
    "woocommerce": SampleAPI(code: "/error", message: ["/message"]),
    "wordpress": SampleAPI(code: "/code", message: ["/message", "/errors/0/message"]),
    "worldbank": SampleAPI(
      when: #""when":"/0/message","present":true"#, code: "/0/message/0/id", message: ["/0/message/0/value"]),
    "youtube": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/errors/0/reason", message: ["/error/message"]),
    "zendesk": SampleAPI(message: ["/error"]),
    "zhihu": SampleAPI(
      when: #""when":"/error","present":true"#, code: "/error/code", message: ["/error/message"]),
  ]
}
