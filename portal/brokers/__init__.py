"""Where messages for workers wait, where kombu's own transports are not enough."""
