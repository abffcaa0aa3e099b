/// What the index does not tell of one recording, and whoever configures its list knows from the API's documentation.
/// Values are JSON, as they stand in the configuration.
struct SampleHint: Sendable {
  /// Where the items would be, in an answer that has none.
  var at: String?
  var id: String?
  var absent: String?
  var each: String?
  var next: String?
  var total: String?
  var hasMore: String?
  /// The whole of `paging`.
  var paging: String?
  /// For numbered pages in a path: the number of the first page, and of this one.
  var first: Int?
  var start: Int?

  static let all: [String: SampleHint] = [
    "ansible-galaxy/versions-page.json": SampleHint(
      paging: #"{"style":"offset","offset":{"query":"offset"},"size":{"query":"limit","value":10}}"#),
    "arcgis/count-only.json": SampleHint(at: "/features", absent: "empty"),
    "budejie/comments-page1.json": SampleHint(
      paging: #"{"style":"keyset","keyset":{"query":"lastcid","key":"/id"}}"#),
    "budejie/comments-none-bare-array.json": SampleHint(at: "/data"),
    "contentful/sync-page1.json": SampleHint(next: "/nextPageUrl"),
    "contentful/sync-last-empty.json": SampleHint(next: "/nextPageUrl"),
    "discourse/page0.json": SampleHint(first: 0),
    "discourse/empty.json": SampleHint(first: 0),
    "elasticsearch/total-object.json": SampleHint(next: "item:/sort"),
    "fhir/empty-no-entry.json": SampleHint(at: "/entry", id: #""/resource/id""#),
    "flurry/summary-empty.json": SampleHint(at: "/event", id: #""/@eventName""#, absent: "empty"),
    "gank/v1-past-the-end.json": SampleHint(start: 9_999),
    "generic-failures/json-in-string-200.json": SampleHint(at: "/data", id: #""/id""#, total: "/total"),
    "generic-failures/no-content-204.json": SampleHint(at: "/data"),
    "gerrit/rest-page1.json": SampleHint(hasMore: "item:/_more_changes"),
    "jenkins/empty-object.json": SampleHint(at: "/jobs", id: #""/name""#),
    "kubernetes/empty-items-null.json": SampleHint(at: "/items", id: #""/metadata/uid""#),
    "mattermost/page0.json": SampleHint(first: 0),
    "mattermost/page1.json": SampleHint(first: 0),
    "mattermost/empty.json": SampleHint(first: 0),
    // Pages come once for each run of revisions, and log entries share the revision 0: nothing tells them apart.
    "mediawiki/allrevisions-continue-null.json": SampleHint(id: #""none""#),
    "mediawiki/recentchanges.json": SampleHint(id: #""none""#),
    "netease-music/search-empty-result.json": SampleHint(at: "/result/songs", id: #""/id""#),
    // Asked for page 99 it answers with the last one again, where no walk comes.
    "pagehelper/past-the-end-reasonable.json": SampleHint(start: 1),
    "spring-page/page0.json": SampleHint(first: 0),
    "spring-page/page1-last.json": SampleHint(first: 0),
    "spring-page/past-the-end.json": SampleHint(first: 0),
    "square/empty-object.json": SampleHint(at: "/disputes", id: #""/id""#),
    // All ids and all totals were made the same when the recording was made anonymous.
    "stackexchange/page1.json": Self.anonymous, "stackexchange/page2.json": Self.anonymous,
    "stackexchange/page1-backoff.json": Self.anonymous,
    "telegram/page1.json": Self.telegram, "telegram/page2.json": Self.telegram,
    "telegram/empty.json": Self.telegram,
    "toutiao/feed-page1.json": SampleHint(
      id: #""/item_id""#, each: "/content", total: "",
      paging: #"{"style":"keyset","keyset":{"query":"max_behot_time","key":"/behot_time"}}"#),
    "twitter-v1/timeline-page1.json": Self.timeline, "twitter-v1/timeline-page2.json": Self.timeline,
    "wanandroid/wxarticle-page0-negative-offset.json": SampleHint(first: 0),
    "wanandroid/article-page1.json": SampleHint(first: 0),
    "wanandroid/rank-page2.json": SampleHint(first: 0, start: 2),
    "wanandroid/past-the-end.json": SampleHint(first: 0, start: 9_998),
    "wechat/users-end.json": SampleHint(at: "/data/openid", id: #""""#),
    "weibo/empty-object-array.json": SampleHint(at: "/statuses"),
  ]

  /// How many of a recording's items have no id although their list has one.
  static let itemsWithoutID = ["budejie/square.json": 1, "spotify/several-with-null.json": 1]

  private static let anonymous = SampleHint(id: #""none""#, total: "")
  private static let telegram = SampleHint(
    paging: #"{"style":"keyset","keyset":{"query":"offset","key":"/update_id","step":1}}"#)
  private static let timeline = SampleHint(
    paging: #"{"style":"keyset","keyset":{"query":"max_id","key":"/id_str","step":-1}}"#)
}
