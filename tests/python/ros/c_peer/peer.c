// A subscriber and a client in C, with Debian's Cyclone DDS 0.10: the line that ROS 2 Humble to Jazzy come with.
// peer DOMAIN: reads the state and the points of /taxel/pad, then pauses the simulation.

#include <stdio.h>
#include <stdlib.h>

#include "dds/dds.h"
#include "ros.h"

static void* take(dds_entity_t reader) {
  for (int k = 0; k < 2000; ++k) {
    void* sample[1] = {NULL};
    dds_sample_info_t info[1];
    if (dds_take(reader, sample, info, 1, 1) > 0 && info[0].valid_data) return sample[0];
    dds_sleepfor(DDS_MSECS(10));
  }
  fprintf(stderr, "nothing came\n");
  exit(1);
}

int main(int count, char** words) {
  const dds_entity_t participant = dds_create_participant(count > 1 ? (dds_domainid_t)atoi(words[1]) : 0, NULL, NULL);
  dds_qos_t* qos = dds_create_qos();
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 5);
  dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
  const dds_entity_t states = dds_create_reader(
      participant,
      dds_create_topic(participant, &tactile_msgs_msg_dds__TactileState__desc, "rt/taxel/pad/state", NULL, NULL), qos,
      NULL);
  const dds_entity_t clouds = dds_create_reader(
      participant,
      dds_create_topic(participant, &sensor_msgs_msg_dds__PointCloud2__desc, "rt/taxel/pad/points", NULL, NULL), qos,
      NULL);
  const tactile_msgs_msg_dds__TactileState_* state = take(states);
  const sensor_msgs_msg_dds__ChannelFloat32_* channel = state->sensors._buffer;
  printf("state %s %s %u\n", state->header.frame_id, channel->name, channel->values._length);
  const sensor_msgs_msg_dds__PointCloud2_* cloud = take(clouds);
  printf("points %u %u %s %u %d\n", cloud->height, cloud->width, cloud->fields._buffer[3].name, cloud->data._length,
         cloud->is_dense);

  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
  const dds_entity_t replies = dds_create_reader(
      participant,
      dds_create_topic(participant, &std_srvs_srv_dds__SetBool_Response__desc, "rr/taxel/set_pauseReply", NULL, NULL),
      qos, NULL);
  const dds_entity_t requests = dds_create_writer(
      participant,
      dds_create_topic(participant, &std_srvs_srv_dds__SetBool_Request__desc, "rq/taxel/set_pauseRequest", NULL, NULL),
      qos, NULL);
  dds_publication_matched_status_t matched = {0};
  for (int k = 0; k < 2000 && matched.current_count == 0; ++k) {
    dds_get_publication_matched_status(requests, &matched);
    dds_sleepfor(DDS_MSECS(10));
  }
  const std_srvs_srv_dds__SetBool_Request_ request = {77, 5, true};
  dds_write(requests, &request);
  const std_srvs_srv_dds__SetBool_Response_* reply = take(replies);
  printf("reply %llu %lld %d %s\n", (unsigned long long)reply->guid, (long long)reply->seq, reply->success,
         reply->message);
  return 0;
}
