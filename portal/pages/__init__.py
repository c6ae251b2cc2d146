"""What pages show, made for the person who looks: plain values, and no writing."""
