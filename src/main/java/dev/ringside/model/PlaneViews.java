package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;

/**
 * The same part of every recurrent plane as ranges of device memory. Planes are few and stay where they are, so each range is made once: steps
 * name planes by their addresses and make no objects.
 */
final class PlaneViews {

    private static final int FEWEST_PLACES = 16;

    private final long offset;
    private final long bytes;
    /** By a hash of a plane's address, with open addressing; a power of two, at most half full. */
    private long[] planes = new long[FEWEST_PLACES];
    private DevicePtr[] views = new DevicePtr[FEWEST_PLACES];
    private int count;

    /**
     * @param offset of the part in a plane
     * @param bytes of the part
     */
    PlaneViews(long offset, long bytes) {
        this.offset = offset;
        this.bytes = bytes;
    }

    /** The part of the plane at an address, which is not 0. */
    DevicePtr of(long plane) {
        int place = place(plane);
        if (planes[place] == plane) {
            return views[place];
        }
        DevicePtr view = new DevicePtr(plane + offset, bytes);
        if (2 * ++count > planes.length) {
            grow();
            place = place(plane);
        }
        planes[place] = plane;
        views[place] = view;
        return view;
    }

    private int place(long plane) {
        int place = (int) (plane * 0x9E3779B97F4A7C15L >>> 32) & planes.length - 1;
        while (planes[place] != 0 && planes[place] != plane) {
            place = place + 1 & planes.length - 1;
        }
        return place;
    }

    private void grow() {
        long[] oldPlanes = planes;
        DevicePtr[] oldViews = views;
        planes = new long[2 * oldPlanes.length];
        views = new DevicePtr[planes.length];
        for (int i = 0; i < oldPlanes.length; i++) {
            if (oldPlanes[i] != 0) {
                int place = place(oldPlanes[i]);
                planes[place] = oldPlanes[i];
                views[place] = oldViews[i];
            }
        }
    }
}
