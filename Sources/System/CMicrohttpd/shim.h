// libmicrohttpd, with what Swift cannot call: variadic functions, and facts behind unions.
#pragma once
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Request targets stay percent-encoded: this says that there is nothing to decode.
static inline size_t listway_mhd_keep_encoded(void *owner, struct MHD_Connection *connection, char *text) {
  (void)owner;
  (void)connection;
  return strlen(text);
}

// A daemon that an outer loop runs by its epoll descriptor. The callbacks all get `owner`.
// TURBO: a new connection is read at once instead of after a round through epoll, and a closing one is not shut
// down first. No thread of its own, no listening socket of its own making.
static inline struct MHD_Daemon *listway_mhd_start(
    int listening, unsigned int connections, unsigned int timeout_seconds, size_t memory, void *owner,
    void *(*target)(void *owner, const char *target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, owner,
      MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_URI_LOG_CALLBACK, target, owner, MHD_OPTION_UNESCAPE_CALLBACK, listway_mhd_keep_encoded, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, completed, owner, MHD_OPTION_NOTIFY_CONNECTION, connection, owner,
      MHD_OPTION_END);
}

// The epoll descriptor that becomes readable when MHD_run has something to do; -1 when there is none.
static inline int listway_mhd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

static inline int listway_mhd_listening(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_LISTEN_FD);
  return info ? info->listen_fd : -1;
}

static inline int listway_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// Seconds without activity after which a connection is closed.
static inline void listway_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
  (void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

// What the notification of the connection's start stored.
static inline void *listway_mhd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static inline const struct sockaddr *listway_mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

// The bytes of the request line and the header section, up to and with the empty line.
static inline size_t listway_mhd_header_byte_count(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// Has the response end with its connection, without chunks.
static inline void listway_mhd_end_by_closing(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Milliseconds since a TCP connection last brought data, or since it was made; -1 where that cannot be told.
static inline long listway_tcp_silence(int descriptor) {
  struct tcp_info info;
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
  return (long)info.tcpi_last_data_recv;
}

// The bytes that have arrived and were not read.
static inline int listway_unread(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}
